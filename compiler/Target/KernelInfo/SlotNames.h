//===- SlotNames.h - Names of launch arguments --------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_KERNELINFO_SLOTNAMES_H
#define COMPILER_TARGET_KERNELINFO_SLOTNAMES_H

#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace attnc {

/// The launch arguments of a kernel with this metadata, a name for each slot of ArgumentLayout, as
/// the members of the generated struct: `q.row_stride`, `captures.doc.sizes[0]`.
std::vector<std::string> getSlotNames(const llvm::json::Object &kernel);

} // namespace attnc

#endif // COMPILER_TARGET_KERNELINFO_SLOTNAMES_H
