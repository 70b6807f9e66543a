//===- Library.h - The mods that come with the compiler -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_LIBRARY_H
#define COMPILER_FRONTEND_LIBRARY_H

#include "compiler/Frontend/AST.h"
#include "compiler/Frontend/SourceFile.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringRef.h"

namespace attnc {

/// The functions of compiler/library/attnc.attn, parsed when a program first asks for one.
class Library {
public:
  /// Adds its text to `sources` once it is needed.
  explicit Library(SourceManager &sources) : sources(sources) {}

  /// The text that is built into the compiler.
  static llvm::StringRef getText();

  /// The definition of that name, or null.
  const ast::FunctionDefStmt *find(llvm::StringRef name);
  const llvm::MapVector<llvm::StringRef, const ast::FunctionDefStmt *> &getFunctions();

  bool contains(SourceRange range) const { return file && range.file == file; }

private:
  void load();

  SourceManager &sources;
  ast::ASTContext context;
  const SourceFile *file = nullptr;
  llvm::MapVector<llvm::StringRef, const ast::FunctionDefStmt *> functions;
};

} // namespace attnc

#endif // COMPILER_FRONTEND_LIBRARY_H
