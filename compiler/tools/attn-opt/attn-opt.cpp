//===- attn-opt.cpp - Runs passes over attnc's IR ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Pipelines/Pipelines.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

/// Takes the options that LLVM's libraries have registered, which do nothing for the IR of this
/// tool, out of the help.
static void hideLibraryOptions() {
  for (auto &entry : llvm::cl::getRegisteredOptions())
    entry.second->setHiddenFlag(llvm::cl::Hidden);
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  attnc::insertAllDialects(registry);
  attnc::registerAllPasses();
  attnc::registerPipelines();
  hideLibraryOptions();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Runs passes over programs in the attn and tile dialects, as attnc prints them\n",
      registry));
}
