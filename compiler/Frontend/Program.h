//===- Program.h - What a program says, evaluated -----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_PROGRAM_H
#define COMPILER_FRONTEND_PROGRAM_H

#include "compiler/Frontend/Value.h"
#include <deque>
#include <optional>

namespace attnc {

/// An .attn file evaluated for one head dim and value dim.
struct Program {
  ExprGraph graph;
  /// Captured tensors, tables and scalar launch arguments, in the order of the file.
  std::deque<Declaration> declarations;
  std::optional<double> scale;
  /// Whether the scale is a launch argument.
  bool scaleArgument = false;

  struct Result {
    ExprId value;
    /// The definition or binding of the entry point.
    SourceRange range;
  };
  /// Nothing if scores stay as they are.
  std::optional<Result> score;
  /// Nothing if every pair takes part.
  std::optional<Result> mask;
};

} // namespace attnc

#endif // COMPILER_FRONTEND_PROGRAM_H
