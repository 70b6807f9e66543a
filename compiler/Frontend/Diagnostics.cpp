//===- Diagnostics.cpp - Messages to the user -------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cassert>
#include <tuple>

using namespace attnc;

namespace {
struct MessageInfo {
  llvm::StringRef name;
  Severity severity;
  llvm::StringRef pattern;
};
} // namespace

static constexpr MessageInfo messages[] = {
#define ATTNC_ERROR(ID, MESSAGE) {#ID, Severity::Error, MESSAGE},
#define ATTNC_WARNING(ID, MESSAGE) {#ID, Severity::Warning, MESSAGE},
#define ATTNC_NOTE(ID, MESSAGE) {#ID, Severity::Note, MESSAGE},
#include "compiler/Frontend/Diagnostics.def"
    {"other", Severity::Error, "{0}"},
};

llvm::StringRef attnc::getName(DiagId id) { return messages[static_cast<unsigned>(id)].name; }

llvm::StringRef attnc::getTemplate(DiagId id) {
  return messages[static_cast<unsigned>(id)].pattern;
}

Severity attnc::getSeverity(DiagId id) { return messages[static_cast<unsigned>(id)].severity; }

llvm::StringRef attnc::stringifySeverity(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    return "note";
  }
  return "";
}

/// Arguments hold what the user wrote, of any length.
static void appendArgument(std::string &message, llvm::StringRef argument) {
  constexpr size_t maxLength = 120;
  message += argument.take_front(maxLength);
  if (argument.size() > maxLength)
    message += "...";
}

std::string attnc::formatMessage(llvm::StringRef pattern, llvm::ArrayRef<std::string> arguments) {
  std::string message;
  for (size_t i = 0; i < pattern.size(); ++i) {
    bool isArgument = pattern.size() - i > 2 && pattern[i] == '{' &&
                      llvm::isDigit(pattern[i + 1]) && pattern[i + 2] == '}';
    if (!isArgument) {
      message += pattern[i];
      continue;
    }
    size_t index = pattern[i + 1] - '0';
    assert(index < arguments.size() && "the message has more arguments than were given");
    if (index < arguments.size())
      appendArgument(message, arguments[index]);
    i += 2;
  }
  return message;
}

DiagnosticBuilder DiagnosticEngine::add(SourceRange range, DiagId id, Severity severity,
                                        std::string message) {
  if (severity == Severity::Error)
    ++numErrors;
  Diagnostic diagnostic{id, severity, range, std::move(message), {}, {}, {}};
  if (diagnostics.size() == maxKept) {
    discarded = std::move(diagnostic);
    return DiagnosticBuilder(discarded);
  }
  diagnostics.push_back(std::move(diagnostic));
  return DiagnosticBuilder(diagnostics.back());
}

bool DiagnosticEngine::hasErrorIn(SourceRange range) const {
  return llvm::any_of(diagnostics, [&](const Diagnostic &diagnostic) {
    return diagnostic.severity == Severity::Error && diagnostic.range.file == range.file &&
           range.begin <= diagnostic.range.begin && diagnostic.range.begin <= range.end;
  });
}

std::vector<const Diagnostic *> DiagnosticEngine::getSorted() const {
  // The index keeps messages about one range in the order they were reported.
  using Key = std::tuple<unsigned, uint32_t, uint32_t, size_t>;
  std::vector<Key> keys;
  for (const Diagnostic &diagnostic : diagnostics) {
    const SourceFile *file = diagnostic.range.file;
    keys.emplace_back(file ? sources.getOrder(file) + 1 : 0, diagnostic.range.begin,
                      diagnostic.range.end, keys.size());
  }
  llvm::sort(keys);
  std::vector<const Diagnostic *> sorted;
  for (const Key &key : keys) {
    const Diagnostic &diagnostic = diagnostics[std::get<3>(key)];
    bool isRepeated = !sorted.empty() && sorted.back()->id == diagnostic.id &&
                      sorted.back()->range == diagnostic.range &&
                      sorted.back()->message == diagnostic.message;
    if (!isRepeated)
      sorted.push_back(&diagnostic);
  }
  return sorted;
}
