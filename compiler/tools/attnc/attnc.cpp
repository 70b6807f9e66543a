//===- attnc.cpp - Compiles attention variants ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/Attnc.h"
#include "compiler/Driver/InternalError.h"
#include "compiler/Driver/ProcessMemory.h"

int main(int argc, char **argv) {
  attnc::driver::prepareHeap();
  attnc::driver::reportInternalErrors("attnc");
  return attnc::driver::runAttnc({argv + 1, argv + argc});
}
