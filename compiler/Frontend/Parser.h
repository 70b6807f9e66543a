//===- Parser.h - From text to the syntax tree ------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_PARSER_H
#define COMPILER_FRONTEND_PARSER_H

#include "compiler/Frontend/AST.h"
#include "compiler/Frontend/Diagnostics.h"

namespace attnc {

/// The tree of `file`, with its nodes in `context`. Statements with errors are reported and left
/// out, so a tree is worth analysing only if `diagnostics` got no error.
const ast::Module *parse(const SourceFile &file, ast::ASTContext &context,
                         DiagnosticEngine &diagnostics);

} // namespace attnc

#endif // COMPILER_FRONTEND_PARSER_H
