//===- LoadFuzzer.cpp - Feeds any text to the PTX parser and runs what it takes ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/fuzz/RunAnything.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  attnc::emu::runAnything({reinterpret_cast<const char *>(data), size});
  return 0;
}
