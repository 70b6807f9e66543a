//===- KernelAttributes.h - Facts about kernels that IR carries ---*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_KERNELINFO_KERNELATTRIBUTES_H
#define COMPILER_TARGET_KERNELINFO_KERNELATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace attnc {

/// On the module: a dictionary from kernel names to their KernelInfo as JSON text, for what comes
/// when the attn.kernel ops are gone.
inline constexpr llvm::StringLiteral kernelsAttrName = "attnc.kernels";

/// On the function of a kernel, i64: the most rows of a call or of a block of threads.
inline constexpr llvm::StringLiteral queryBlockAttrName = "attnc.query_block";

/// On the function of a host kernel, i64: the bytes of scratch memory that a call needs.
inline constexpr llvm::StringLiteral scratchBytesAttrName = "attnc.scratch_bytes";

/// On a host kernel and on its function, a dictionary: the functions with which plans are made, and
/// what MaskPlanner says of them.
inline constexpr llvm::StringLiteral plannerAttrName = "attnc.planner";

/// On the function of a kernel for GPUs, i64: the bytes of dynamic shared memory of a block.
inline constexpr llvm::StringLiteral sharedBytesAttrName = "attnc.shared_bytes";

/// On the function of a kernel for GPUs, an array of strings: lines for people that say what it
/// computes and with what.
inline constexpr llvm::StringLiteral summaryAttrName = "attnc.summary";

/// On the function of a kernel for GPUs, a string: GpuKernel::products, if that is not empty.
inline constexpr llvm::StringLiteral productsAttrName = "attnc.products";

/// On an argument of a function for GPUs, a string: what PTX is to call the parameter.
inline constexpr llvm::StringLiteral parameterNameAttrName = "attnc.name";

/// On the function of an entry of a kernel for GPUs that is not its first one: the kernel's name.
inline constexpr llvm::StringLiteral entryOfAttrName = "attnc.entry_of";

/// On the function of an entry whose blocks mix rows of several heads.
inline constexpr llvm::StringLiteral packsHeadsAttrName = "attnc.packs_heads";

/// On the function of NAME_summarize of a kernel for GPUs, a dictionary: what TableSummaries says.
inline constexpr llvm::StringLiteral summariesAttrName = "attnc.summaries";

} // namespace attnc

#endif // COMPILER_TARGET_KERNELINFO_KERNELATTRIBUTES_H
