//===- ParseFuzzer.cpp - Feeds any text to the parser ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Whatever the text, the parser ends with a tree or with errors that can be printed; a tree without
// errors prints as text that parses and prints the same.
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/ASTPrinter.h"
#include "compiler/Frontend/Parser.h"
#include <cstdlib>

using namespace attnc;

/// The print of the tree of `text`, or the rendering of its errors.
static std::string parseAndPrint(std::string text, bool &isSound) {
  SourceManager sources;
  ast::ASTContext context;
  DiagnosticEngine diagnostics(sources);
  const ast::Module *module =
      parse(sources.add("fuzz.attn", std::move(text)), context, diagnostics);
  isSound = !diagnostics.hasErrors();
  std::string result;
  llvm::raw_string_ostream os(result);
  if (isSound) {
    ast::print(*module, os);
    return result;
  }
  diagnostics.printText(os);
  diagnostics.printJSON(os);
  return result;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool isSound = false, isPrintSound = false;
  std::string text(reinterpret_cast<const char *>(data), size);
  std::string printed = parseAndPrint(text, isSound);
  if (isSound && (parseAndPrint(printed, isPrintSound) != printed || !isPrintSound))
    std::abort();
  return 0;
}
