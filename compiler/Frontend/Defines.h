//===- Defines.h - Values given with -D ---------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_DEFINES_H
#define COMPILER_FRONTEND_DEFINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// A number, bool or nested list as written on the command line.
struct DefineValue {
  enum class Kind { None, Int, Float, Bool, List };
  Kind kind = Kind::None;
  int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::vector<DefineValue> elements;
};

/// Parses `1024`, `-0x10`, `2.5`, `-inf`, `true`, `None`, `[1, 2]`, `(8, 16)`; nothing if `text` is
/// none of these.
std::optional<DefineValue> parseDefineValue(llvm::StringRef text);

/// The `name=value` strings of the command line, and what is wrong with them.
class Defines {
public:
  explicit Defines(llvm::ArrayRef<std::string> arguments);

  /// The value given for a constant, which counts as used; null if there is none.
  const DefineValue *use(llvm::StringRef name);
  /// The text behind `name=`.
  llvm::StringRef getText(llvm::StringRef name) const {
    return entries.find(name.str())->second.text;
  }

  /// Reports a value that does not fit its constant, once.
  void addError(llvm::StringRef name, const std::string &message);
  /// The names that no constant used.
  std::vector<llvm::StringRef> getUnused() const;
  const std::vector<std::string> &getErrors() const { return errors; }

private:
  struct Entry {
    std::string text;
    DefineValue value;
    bool used = false;
    bool reported = false;
  };

  std::map<std::string, Entry> entries;
  std::vector<std::string> errors;
};

} // namespace attnc

#endif // COMPILER_FRONTEND_DEFINES_H
