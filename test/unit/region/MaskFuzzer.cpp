//===- MaskFuzzer.cpp - Makes masks of any bytes ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// The bytes are the choices of the generator of MaskRangesTest: which mask, which launch, which
// blocks. Whatever they are, what the analysis says of blocks is true of all pairs.
//
//===------------------------------------------------------------------------===//

#include "test/unit/region/MaskCheck.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace attnc::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t position = 0;
  // A choice takes a byte. Behind the end they go on at random, so that each input ends.
  std::mt19937_64 rest(size);
  RandomBody random([&]() -> uint64_t { return position < size ? data[position++] : rest(); });
  if (auto problem = MaskCheck::checkRandomMasks(random, 1)) {
    llvm::errs() << *problem << "\n";
    std::abort();
  }
  return 0;
}
