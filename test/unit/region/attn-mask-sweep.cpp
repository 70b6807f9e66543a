//===- attn-mask-sweep.cpp - Many random masks against all pairs ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// The long form of MaskRangesTest: attn-mask-sweep [MASKS [SEED]] makes random masks, compiles what
// the analysis emits for them, and compares it with every pair of random launches. It ends with 1
// at the first mask of which something is said that is not true.
//
//===------------------------------------------------------------------------===//

#include "test/unit/region/MaskCheck.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace attnc::test;

int main(int argc, char **argv) {
  int64_t masks = 20000, seed = 0;
  if (argc > 3 || (argc > 1 && (llvm::StringRef(argv[1]).getAsInteger(10, masks) || masks < 1)) ||
      (argc > 2 && llvm::StringRef(argv[2]).getAsInteger(10, seed))) {
    llvm::errs() << "usage: attn-mask-sweep [MASKS [SEED]]\n";
    return 2;
  }
  constexpr int64_t batch = 50;
  for (int64_t done = 0; done < masks; done += batch) {
    // Seeds of tests are small.
    RandomBody random(static_cast<uint64_t>(1000000 + seed * 1000003 + done));
    int count = static_cast<int>(std::min(batch, masks - done));
    if (auto problem = MaskCheck::checkRandomMasks(random, count)) {
      llvm::errs() << "among masks " << done << " to " << done + count - 1 << " of seed " << seed
                   << ": " << *problem << "\n";
      return 1;
    }
  }
  llvm::outs() << masks << " masks: all that is said of blocks is true\n";
  return 0;
}
