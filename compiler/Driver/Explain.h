//===- Explain.h - What the compiler knows of a program -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_EXPLAIN_H
#define COMPILER_DRIVER_EXPLAIN_H

#include "compiler/Driver/StageTimes.h"
#include "compiler/Driver/Target.h"
#include "compiler/Frontend/SourceFile.h"
#include "dialect/Attn/Analysis/PartialReasons.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc::driver {

/// Prints for each kernel of `module`, which is at `phase` (at most tile) and stays as it is, what
/// is known of its mask, how it is scheduled for `target`, and the memory that it works in; of
/// kernels for GPUs also what they cost, under the text in `sources`.
llvm::LogicalResult explain(mlir::ModuleOp module, Phase phase, const Target &target,
                            const SourceManager &sources, StageTimes &times, llvm::raw_ostream &os);

/// Prints what else there is to say of a conjunct, the `index`th.
using PrintBelow = llvm::function_ref<void(size_t index, const attn::Conjunct &conjunct,
                                           const attn::PartialReason &reason)>;

/// Prints the conjuncts of the mask of `kernel`, or that it has none; after each of them
/// `printBelow` prints more.
void explainMask(attn::KernelOp kernel, llvm::raw_ostream &os, PrintBelow printBelow);

/// Prints the user's line at `location` with `text` under what is meant; `text` alone if the place
/// is not known.
void printUnderText(mlir::Location location, const SourceManager &sources, llvm::StringRef text,
                    llvm::raw_ostream &os);

/// `file:line:column: ` of a place in the program, or nothing.
std::string printPlace(mlir::Location loc);

/// `512 bytes`, `66 KiB`.
std::string printBytes(int64_t bytes);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_EXPLAIN_H
