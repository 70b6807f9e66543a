//===- Literals.h - The values of numbers and strings -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_LITERALS_H
#define COMPILER_FRONTEND_LITERALS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace attnc {

/// The value of an integer token such as `0xff` or `1_000`; nothing if it needs more than 64 bits.
std::optional<uint64_t> getIntegerValue(llvm::StringRef spelling);

/// The nearest double to a number token; infinity beyond the largest.
double getFloatValue(llvm::StringRef spelling);

struct StringValue {
  std::string text;
  bool isFormat = false;
  /// The bytes of the token that are no complete escape sequence; empty if all is well.
  llvm::StringRef invalidEscape;
};

/// The value of a string token, with prefix and quotes. Escapes that Python does not know stay as
/// written.
StringValue getStringValue(llvm::StringRef spelling);

/// `text` as a string token that has this value.
std::string quote(llvm::StringRef text, bool isFormat);

} // namespace attnc

#endif // COMPILER_FRONTEND_LITERALS_H
