//===- Dimensions.h - The names of sizes --------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_DIMENSIONS_H
#define COMPILER_FRONTEND_DIMENSIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace attnc {

/// The sizes of q, k and v; all but the last two are known at launch only.
inline llvm::ArrayRef<llvm::StringRef> getAllDimensions() {
  static const llvm::StringRef names[] = {"B", "Hq", "Hkv", "Q", "KV", "D", "Dv"};
  return names;
}

inline bool isRunTimeDimension(llvm::StringRef name) {
  return llvm::is_contained(getAllDimensions().drop_back(2), name);
}

inline bool isDimension(llvm::StringRef name) {
  return llvm::is_contained(getAllDimensions(), name);
}

/// The names of the arguments of mods and of the tensors of a launch.
inline bool isLaunchName(llvm::StringRef name) {
  static const llvm::StringRef names[] = {"b", "h", "q_idx", "kv_idx", "q", "k", "v", "o", "lse"};
  return llvm::is_contained(names, name);
}

} // namespace attnc

#endif // COMPILER_FRONTEND_DIMENSIONS_H
