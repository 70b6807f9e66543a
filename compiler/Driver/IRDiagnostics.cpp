//===- IRDiagnostics.cpp - Messages of passes at the user's lines -----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/IRDiagnostics.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

SourceRange driver::getSourceRange(const SourceManager &sources, Location loc) {
  auto place = loc->findInstanceOf<FileLineColRange>();
  if (!place)
    return {};
  return sources.getRange(place.getFilename().getValue(),
                          {place.getStartLine(), place.getStartColumn()},
                          {place.getEndLine(), place.getEndColumn()});
}

static attnc::Severity getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return Severity::Error;
  case DiagnosticSeverity::Warning:
    return Severity::Warning;
  default:
    return Severity::Note;
  }
}

IRDiagnostics::IRDiagnostics(MLIRContext *context, DiagnosticEngine &engine)
    : ScopedDiagnosticHandler(context) {
  setHandler([&engine](mlir::Diagnostic &diagnostic) {
    auto range = [&](Location loc) { return getSourceRange(engine.getSources(), loc); };
    engine.reportOther(range(diagnostic.getLocation()), ::getSeverity(diagnostic.getSeverity()),
                       diagnostic.str());
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      engine.reportOther(range(note.getLocation()), Severity::Note, note.str());
  });
}
