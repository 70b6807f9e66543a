//===- Diagnostics.h - Messages to the user -----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_DIAGNOSTICS_H
#define COMPILER_FRONTEND_DIAGNOSTICS_H

#include "compiler/Frontend/SourceFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <string>
#include <vector>

namespace attnc {

enum class Severity { Error, Warning, Note };

/// The messages of Diagnostics.def, and `other` for a message that another part of the compiler
/// made.
enum class DiagId : unsigned {
#define ATTNC_ERROR(ID, MESSAGE) ID,
#define ATTNC_WARNING(ID, MESSAGE) ID,
#define ATTNC_NOTE(ID, MESSAGE) ID,
#include "compiler/Frontend/Diagnostics.def"
  other
};

/// The name of a message in Diagnostics.def.
llvm::StringRef getName(DiagId id);
/// Its text before the arguments are filled in.
llvm::StringRef getTemplate(DiagId id);
Severity getSeverity(DiagId id);
llvm::StringRef stringifySeverity(Severity severity);

/// Replaces `range` (nothing, if it is empty) by `text`.
struct Edit {
  SourceRange range;
  std::string text;
};

/// A change of the source that mends the mistake.
struct FixIt {
  /// What the change does, e.g. "compare first".
  std::string title;
  /// In the order of the source, not overlapping, all in one file.
  llvm::SmallVector<Edit, 2> edits;
};

/// A message beneath a diagnostic.
struct DiagnosticNote {
  DiagId id;
  SourceRange range;
  std::string message;
};

struct Diagnostic {
  DiagId id = DiagId::other;
  Severity severity = Severity::Error;
  /// Invalid for a message about no place in a file.
  SourceRange range;
  std::string message;
  /// Stands behind the carets.
  std::string hint;
  std::vector<DiagnosticNote> notes;
  std::vector<FixIt> fixIts;
};

/// The text of an argument of a message.
template <typename T> std::string toDiagnosticArgument(const T &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// `pattern` with `{0}`, `{1}` ... replaced by `arguments`.
std::string formatMessage(llvm::StringRef pattern, llvm::ArrayRef<std::string> arguments);

/// Adds to a diagnostic just reported. Converts to failure, so that the error can be returned:
///   return diagnostics.report(range, DiagId::unknown_name, name).hint("did you mean `window`?");
class DiagnosticBuilder {
public:
  explicit DiagnosticBuilder(Diagnostic &diagnostic) : diagnostic(diagnostic) {}

  /// Sets the text behind the carets.
  DiagnosticBuilder &hint(std::string text) {
    diagnostic.hint = std::move(text);
    return *this;
  }
  template <typename... Args>
  DiagnosticBuilder &note(SourceRange range, DiagId id, const Args &...args) {
    diagnostic.notes.push_back(
        {id, range, formatMessage(getTemplate(id), {toDiagnosticArgument(args)...})});
    return *this;
  }
  DiagnosticBuilder &fixIt(std::string title, llvm::ArrayRef<Edit> edits) {
    diagnostic.fixIts.push_back({std::move(title), llvm::SmallVector<Edit, 2>(edits)});
    return *this;
  }
  operator llvm::LogicalResult() const { return llvm::failure(); }

private:
  Diagnostic &diagnostic;
};

/// Collects the diagnostics of one compilation.
class DiagnosticEngine {
public:
  /// Errors beyond this many are counted but not printed.
  static constexpr unsigned maxErrors = 20;
  /// Diagnostics beyond this many are not even kept.
  static constexpr size_t maxKept = 1000;

  explicit DiagnosticEngine(const SourceManager &sources) : sources(sources) {}
  DiagnosticEngine(const DiagnosticEngine &) = delete;
  DiagnosticEngine &operator=(const DiagnosticEngine &) = delete;

  const SourceManager &getSources() const { return sources; }

  template <typename... Args>
  DiagnosticBuilder report(SourceRange range, DiagId id, const Args &...args) {
    return add(range, id, getSeverity(id),
               formatMessage(getTemplate(id), {toDiagnosticArgument(args)...}));
  }
  /// Adds a message that is not of Diagnostics.def, e.g. one of a pass.
  DiagnosticBuilder reportOther(SourceRange range, Severity severity, std::string message) {
    return add(range, DiagId::other, severity, std::move(message));
  }

  bool hasErrors() const { return numErrors != 0; }
  unsigned getNumErrors() const { return numErrors; }
  /// Whether an error begins in `range`: what depends on it is not worth another message.
  bool hasErrorIn(SourceRange range) const;

  /// The diagnostics in the order of the source, each said once.
  std::vector<const Diagnostic *> getSorted() const;

  /// Prints all diagnostics for people: "file:line:column: error: message", the line, the range.
  void printText(llvm::raw_ostream &os, bool colors = false) const;
  /// Prints all diagnostics for editors, one JSON object per line.
  void printJSON(llvm::raw_ostream &os) const;

private:
  DiagnosticBuilder add(SourceRange range, DiagId id, Severity severity, std::string message);

  const SourceManager &sources;
  std::deque<Diagnostic> diagnostics;
  /// Takes what is said about diagnostics that are not kept.
  Diagnostic discarded;
  unsigned numErrors = 0;
};

} // namespace attnc

#endif // COMPILER_FRONTEND_DIAGNOSTICS_H
