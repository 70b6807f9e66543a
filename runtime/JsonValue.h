//===- JsonValue.h - What a JSON text says ----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_JSONVALUE_H
#define RUNTIME_JSONVALUE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// A value of a JSON text. It goes without allocating, as what a library cannot have when memory
/// runs out must not end its process.
class JsonValue {
public:
  enum class Kind { Null, Bool, Int, Unsigned, Float, Text, Array, Object };
  /// Objects and arrays that a value may lie in.
  static constexpr int maxDepth = 64;

  /// Reads a text; returns what is wrong with it, or nothing.
  static std::optional<std::string> parse(std::string_view text, JsonValue &value);

  bool is(Kind other) const { return kind == other; }
  bool isNumber() const { return is(Kind::Int) || is(Kind::Unsigned) || is(Kind::Float); }

  bool getBool() const { return integer != 0; }
  /// Of a number, as near as a float is.
  float getFloat() const;
  /// Of a number without a fraction that 64 bits hold with a sign.
  std::optional<int64_t> getInt() const;
  const std::string &getText() const { return text; }
  const std::vector<JsonValue> &getElements() const { return elements; }
  /// The member of an object, or null. Of several with one name the last one counts.
  const JsonValue *find(std::string_view name) const;

  /// As JSON, on one line.
  std::string print() const;

private:
  class Builder;

  Kind kind = Kind::Null;
  uint64_t integer = 0; ///< of an Int its bits
  double real = 0;
  std::string text;
  std::vector<JsonValue> elements; ///< of an array, or members of an object
  std::vector<std::string> names;  ///< of members
};

} // namespace attnc

#endif // RUNTIME_JSONVALUE_H
