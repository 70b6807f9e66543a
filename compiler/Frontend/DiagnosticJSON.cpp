//===- DiagnosticJSON.cpp - Diagnostics for editors -------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// Lines and columns count characters from 1, `begin` and `end` bytes from 0; ends lie behind the
// last character.
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Diagnostics.h"
#include "llvm/Support/JSON.h"

using namespace attnc;

static void writeText(llvm::json::OStream &json, llvm::StringRef key, llvm::StringRef text) {
  json.attribute(key, llvm::json::fixUTF8(text));
}

static void writeRange(llvm::json::OStream &json, SourceRange range) {
  if (!range.isValid())
    return;
  LineColumn begin = range.file->getLineColumn(range.begin);
  LineColumn end = range.file->getLineColumn(range.end);
  writeText(json, "file", range.file->getName());
  json.attribute("line", begin.line);
  json.attribute("column", begin.column);
  json.attribute("end_line", end.line);
  json.attribute("end_column", end.column);
  json.attribute("begin", range.begin);
  json.attribute("end", range.end);
}

static void writeDiagnostic(llvm::json::OStream &json, const Diagnostic &diagnostic) {
  writeRange(json, diagnostic.range);
  json.attribute("severity", stringifySeverity(diagnostic.severity));
  json.attribute("id", getName(diagnostic.id));
  writeText(json, "message", diagnostic.message);
  if (!diagnostic.hint.empty())
    writeText(json, "hint", diagnostic.hint);
  json.attributeArray("notes", [&] {
    for (const DiagnosticNote &note : diagnostic.notes)
      json.object([&] {
        writeRange(json, note.range);
        json.attribute("id", getName(note.id));
        writeText(json, "message", note.message);
      });
  });
  json.attributeArray("fixits", [&] {
    for (const FixIt &fixIt : diagnostic.fixIts)
      json.object([&] {
        writeText(json, "title", fixIt.title);
        json.attributeArray("edits", [&] {
          for (const Edit &edit : fixIt.edits)
            json.object([&] {
              writeRange(json, edit.range);
              writeText(json, "text", edit.text);
            });
        });
      });
  });
}

void DiagnosticEngine::printJSON(llvm::raw_ostream &os) const {
  for (const Diagnostic *diagnostic : getSorted()) {
    llvm::json::OStream json(os);
    json.object([&] { writeDiagnostic(json, *diagnostic); });
    json.flush();
    os << '\n';
  }
}
