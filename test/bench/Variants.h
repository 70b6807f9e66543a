//===- Variants.h - What benchmarks measure ------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_VARIANTS_H
#define TEST_BENCH_VARIANTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace attnc::bench {

/// An attention variant.
struct Variant {
  std::string name;
  std::string program;
  /// Of the captured tensor `doc`; 0: the program has none.
  int documents = 0;
  /// Of the scalar argument `limit`; 0: the program has none.
  int64_t limit = 0;
};

/// All variants, `full` first.
llvm::ArrayRef<Variant> getVariants();

/// The variant of this name; null if there is none.
const Variant *findVariant(llvm::StringRef name);

} // namespace attnc::bench

#endif // TEST_BENCH_VARIANTS_H
