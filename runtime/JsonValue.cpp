//===- JsonValue.cpp - What a JSON text says ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/JsonValue.h"
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

using namespace attnc;
using Json = nlohmann::json;

/// Takes the parts of a text as they are read.
class JsonValue::Builder : public nlohmann::json_sax<Json> {
public:
  explicit Builder(JsonValue &root) : root(root) {}

  bool isTooDeep() const { return tooDeep; }

  bool null() override { return add(Kind::Null) != nullptr; }
  bool boolean(bool value) override {
    JsonValue *added = add(Kind::Bool);
    if (added)
      added->integer = value;
    return added != nullptr;
  }
  bool number_integer(Json::number_integer_t value) override {
    JsonValue *added = add(Kind::Int);
    if (added)
      added->integer = static_cast<uint64_t>(value);
    return added != nullptr;
  }
  bool number_unsigned(Json::number_unsigned_t value) override {
    JsonValue *added = add(Kind::Unsigned);
    if (added)
      added->integer = value;
    return added != nullptr;
  }
  bool number_float(Json::number_float_t value, const Json::string_t &) override {
    JsonValue *added = add(Kind::Float);
    if (added)
      added->real = value;
    return added != nullptr;
  }
  bool string(Json::string_t &value) override {
    JsonValue *added = add(Kind::Text);
    if (added)
      added->text = value;
    return added != nullptr;
  }
  bool binary(Json::binary_t &) override { return false; }

  bool start_object(size_t) override { return open(Kind::Object); }
  bool key(Json::string_t &name) override {
    path.back()->names.push_back(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(Kind::Array); }
  bool end_array() override { return close(); }

  bool parse_error(size_t, const std::string &, const Json::exception &) override { return false; }

private:
  /// The next value, or null where it lies too deep.
  JsonValue *add(Kind kind) {
    tooDeep |= path.size() > static_cast<size_t>(maxDepth);
    if (tooDeep)
      return nullptr;
    JsonValue &added = path.empty() ? root : path.back()->elements.emplace_back();
    added.kind = kind;
    return &added;
  }
  bool open(Kind kind) {
    JsonValue *added = add(kind);
    if (added)
      path.push_back(added);
    return added != nullptr;
  }
  bool close() {
    path.pop_back();
    return true;
  }

  JsonValue &root;
  std::vector<JsonValue *>
      path; ///< objects and arrays that are open, each the last in the one before
  bool tooDeep = false;
};

std::optional<std::string> JsonValue::parse(std::string_view text, JsonValue &value) {
  value = JsonValue();
  Builder builder(value);
  if (Json::sax_parse(text.begin(), text.end(), &builder))
    return std::nullopt;
  if (builder.isTooDeep())
    return "expected values in at most " + std::to_string(maxDepth) + " objects and arrays";
  return "expected JSON";
}

float JsonValue::getFloat() const {
  if (is(Kind::Float))
    return static_cast<float>(real);
  return is(Kind::Int) ? static_cast<float>(static_cast<int64_t>(integer))
                       : static_cast<float>(integer);
}

std::optional<int64_t> JsonValue::getInt() const {
  bool fits = is(Kind::Int) ||
              (is(Kind::Unsigned) && integer <= uint64_t(std::numeric_limits<int64_t>::max()));
  return fits ? std::optional(static_cast<int64_t>(integer)) : std::nullopt;
}

const JsonValue *JsonValue::find(std::string_view name) const {
  auto found = std::find(names.rbegin(), names.rend(), name);
  return found == names.rend() ? nullptr : &elements[static_cast<size_t>(names.rend() - found) - 1];
}

std::string JsonValue::print() const {
  // Values without elements go without allocating in the library too.
  auto dump = [](const Json &value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  switch (kind) {
  case Kind::Null:
    return "null";
  case Kind::Bool:
    return getBool() ? "true" : "false";
  case Kind::Int:
    return std::to_string(static_cast<int64_t>(integer));
  case Kind::Unsigned:
    return std::to_string(integer);
  case Kind::Float:
    return dump(real);
  case Kind::Text:
    return dump(text);
  case Kind::Array:
  case Kind::Object:
    break;
  }
  bool isObject = is(Kind::Object);
  std::string result = isObject ? "{" : "[";
  for (size_t i = 0; i < elements.size(); ++i)
    result += (i == 0 ? "" : ",") + (isObject ? dump(names[i]) + ":" : "") + elements[i].print();
  return result + (isObject ? "}" : "]");
}
