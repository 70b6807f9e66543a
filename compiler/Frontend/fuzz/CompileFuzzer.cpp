//===- CompileFuzzer.cpp - Feeds any text to the whole front end --------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Whatever the text, the front end ends with verified IR or with errors that can be printed.
//
// A new MLIRContext takes longer than most programs, so one serves many inputs. What the inputs
// leave in it (types, attributes, locations) would grow without end, so it is replaced at times.
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Frontend.h"
#include "compiler/Frontend/fuzz/TokenMutator.h"
#include "mlir/IR/Verifier.h"
#include <algorithm>
#include <cstdlib>
#include <memory>

using namespace attnc;

/// What libFuzzer does itself.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// The context of the next input.
static mlir::MLIRContext &getContext() {
  constexpr unsigned inputsPerContext = 2000;
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned inputs = 0;
  if (inputs++ % inputsPerContext == 0)
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  return *context;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  std::string text(reinterpret_cast<const char *>(data), size);
  const SourceFile &file = sources.add("fuzz.attn", std::move(text));
  FrontendResult result =
      compileToAttn(file, FrontendOptions(), sources, diagnostics, getContext());
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

/// Changes bytes one time, words two times.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 3 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<const char *>(data), size);
  text = TokenMutator(seed).mutate(std::move(text));
  size = std::min(text.size(), maxSize);
  std::copy_n(text.data(), size, data);
  return size;
}
