//===- ASTPrinter.h - The syntax tree as text -------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_ASTPRINTER_H
#define COMPILER_FRONTEND_ASTPRINTER_H

#include "compiler/Frontend/AST.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc::ast {

/// Prints `module` as an .attn file that parses back to the same tree. Comments are gone; blanks,
/// quotes and parentheses are as the printer likes them.
void print(const Module &module, llvm::raw_ostream &os);
void print(const Expr &expr, llvm::raw_ostream &os);

} // namespace attnc::ast

#endif // COMPILER_FRONTEND_ASTPRINTER_H
