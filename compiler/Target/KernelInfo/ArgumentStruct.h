//===- ArgumentStruct.h - Launch arguments as a struct of C -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_KERNELINFO_ARGUMENTSTRUCT_H
#define COMPILER_TARGET_KERNELINFO_ARGUMENTSTRUCT_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// The types that the fields of a struct of launch arguments have, 64 bits each.
struct FieldTypes {
  llvm::StringRef pointer, f32;
};

/// Writes the fields whose names come from the program of `kernel`, by its metadata: extents,
/// captured tensors and scalars, in the order of ArgumentLayout. Names that are keywords of C or
/// C++ get an underscore.
void writeProgramFields(const llvm::json::Object &kernel, const FieldTypes &types,
                        llvm::raw_ostream &os);

/// The number of slots that the arguments of a kernel take.
int64_t countSlots(const llvm::json::Object &kernel);

} // namespace attnc

#endif // COMPILER_TARGET_KERNELINFO_ARGUMENTSTRUCT_H
