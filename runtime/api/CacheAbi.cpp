//===- CacheAbi.cpp - Functions of the C ABI for caches -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/Handles.h"

using namespace attnc;
using namespace attnc::api;

attnc_status_t attnc_cache_configure(const attnc_cache_options_t *options) {
  return call(0, [&]() -> Result {
    attnc_cache_options_t copy;
    if (Result failure = readStruct("options", options, copy))
      return failure;
    return configureCache(copy);
  });
}

attnc_status_t attnc_cache_get_info(attnc_cache_info_t *info) {
  return call(0, [&]() -> Result { return writeStruct("info", getCacheInfo(), info); });
}

attnc_status_t attnc_cache_clear(void) {
  return call(0, [] { return clearCache(); });
}
