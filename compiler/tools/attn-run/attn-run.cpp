//===- attn-run.cpp - Runs programs on tensors ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/InternalError.h"
#include "compiler/Driver/OutputFile.h"
#include "compiler/Driver/Run.h"
#include "compiler/Pipelines/Pipelines.h"

using namespace attnc::driver;

int main(int argc, char **argv) {
  reportInternalErrors("attn-run");
  RunOptions options;
  if (auto error = parseRunOptions({argv + 1, argv + argc}, options)) {
    printRunError(*error);
    return BadUsage;
  }
  if (options.help || options.version) {
    std::optional<RunError> error =
        writeStandardOutput(options.help ? getRunHelp() : "attn-run " ATTNC_VERSION "\n");
    if (error)
      printRunError(error->message);
    return error ? error->status : Success;
  }
  attnc::registerAllPasses();
  attnc::registerPipelines();
  return runProgram(options);
}
