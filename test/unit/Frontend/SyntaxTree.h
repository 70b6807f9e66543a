//===- SyntaxTree.h - Parsing and comparing in tests ------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_UNIT_FRONTEND_SYNTAXTREE_H
#define TEST_UNIT_FRONTEND_SYNTAXTREE_H

#include "compiler/Frontend/AST.h"
#include "compiler/Frontend/Diagnostics.h"
#include <string>
#include <vector>

namespace attnc::test {

/// A text with its tree and its diagnostics.
struct Parsed {
  explicit Parsed(std::string text, std::string name = "test.attn");

  /// The rendering of all diagnostics.
  std::string getErrors() const;
  /// The tree as the printer prints it.
  std::string print() const;
  /// The tree with all its structure spelled out: `(* (+ a 1) b)`.
  std::string dump() const;

  SourceManager sources;
  ast::ASTContext context;
  DiagnosticEngine diagnostics;
  const ast::Module *module;
};

/// The structure of the one expression in `text`, or the errors.
std::string dumpExpr(llvm::StringRef text);

/// The files below the folder `path` of the source tree that end in ".attn", in order.
std::vector<std::string> findVariants(llvm::StringRef path);
std::string readFile(llvm::StringRef path);

} // namespace attnc::test

#endif // TEST_UNIT_FRONTEND_SYNTAXTREE_H
