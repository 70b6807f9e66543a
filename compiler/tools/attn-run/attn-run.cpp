//===- attn-run.cpp - Runs programs on tensors ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/InternalError.h"
#include "compiler/Driver/Run.h"
#include "compiler/Pipelines/Pipelines.h"
#include "llvm/Support/raw_ostream.h"

using namespace attnc::driver;

int main(int argc, char **argv) {
  reportInternalErrors("attn-run");
  RunOptions options;
  if (auto error = parseRunOptions({argv + 1, argv + argc}, options)) {
    printRunError(*error);
    return BadUsage;
  }
  if (options.help || options.version) {
    llvm::outs() << (options.help ? getRunHelp() : "attn-run " ATTNC_VERSION "\n");
    return Success;
  }
  attnc::registerAllPasses();
  attnc::registerPipelines();
  return runProgram(options);
}
