//===- Variants.cpp - What benchmarks measure --------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/Variants.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

using namespace attnc::bench;

llvm::ArrayRef<Variant> attnc::bench::getVariants() {
  static const std::vector<Variant> variants = {
      {"full", ""},
      {"causal", "mask_mod = causal\n"},
      {"alibi", "score_mod = alibi\n"},
      {"softcap", "score_mod = softcap(30.0)\n"},
      {"window", "mask_mod = and_masks(causal, sliding_window(1024))\n"},
      {"causal-documents", "doc: i32[B, KV]\nmask_mod = and_masks(document(doc), causal)\n", 16},
      {"documents", "doc: i32[B, KV]\nmask_mod = document(doc)\n", 16},
      // Only the launch tells that it holds everywhere.
      {"always-true",
       "limit: i32\n\ndef mask_mod(b, h, q_idx, kv_idx):\n    return q_idx - kv_idx < limit\n", 0,
       int64_t(1) << 30},
  };
  return variants;
}

const Variant *attnc::bench::findVariant(llvm::StringRef name) {
  const Variant *found =
      llvm::find_if(getVariants(), [&](const Variant &variant) { return variant.name == name; });
  return found == getVariants().end() ? nullptr : found;
}
