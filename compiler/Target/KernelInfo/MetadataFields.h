//===- MetadataFields.h - Members of metadata ---------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_KERNELINFO_METADATAFIELDS_H
#define COMPILER_TARGET_KERNELINFO_METADATAFIELDS_H

#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

/// Members of a kernel's metadata, or of an object in it. What is not there, or is something else,
/// reads as empty.
namespace attnc::metadata {

llvm::StringRef getString(const llvm::json::Object &object, llvm::StringRef key);
int64_t getInteger(const llvm::json::Object &object, llvm::StringRef key);
bool getBool(const llvm::json::Object &object, llvm::StringRef key);

/// The objects in the array `key` of `object`.
std::vector<const llvm::json::Object *> getObjects(const llvm::json::Object &object,
                                                   llvm::StringRef key);
/// The strings in the array `key` of `object`.
std::vector<std::string> getStrings(const llvm::json::Object &object, llvm::StringRef key);

} // namespace attnc::metadata

#endif // COMPILER_TARGET_KERNELINFO_METADATAFIELDS_H
