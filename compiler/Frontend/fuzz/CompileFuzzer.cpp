//===- CompileFuzzer.cpp - Feeds any text to the whole front end --------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Whatever the text, the front end ends with verified IR or with errors that can be printed.
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Frontend.h"
#include "mlir/IR/Verifier.h"
#include <cstdlib>

using namespace attnc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  std::string text(reinterpret_cast<const char *>(data), size);
  const SourceFile &file = sources.add("fuzz.attn", std::move(text));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  FrontendResult result = compileToAttn(file, FrontendOptions(), sources, diagnostics, context);
  std::string rendering;
  llvm::raw_string_ostream os(rendering);
  diagnostics.printText(os);
  diagnostics.printJSON(os);
  bool isExplained = diagnostics.hasErrors() || !result.usageErrors.empty();
  bool isSound = result.module && mlir::succeeded(mlir::verify(*result.module));
  if (isSound == isExplained)
    std::abort();
  return 0;
}
