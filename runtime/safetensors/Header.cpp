//===- Header.cpp - Headers of safetensors files ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/safetensors/Safetensors.h"
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

using namespace attnc;
using namespace attnc::safetensors;

namespace {
struct NamedType {
  std::string_view name;
  int64_t size;
  std::optional<ElementType> type;
};
constexpr NamedType namedTypes[] = {
    {"F32", 4, ElementType::F32}, {"F16", 2, ElementType::F16}, {"BF16", 2, ElementType::BF16},
    {"I8", 1, ElementType::I8},   {"U8", 1, ElementType::U8},   {"I16", 2, ElementType::I16},
    {"I32", 4, ElementType::I32}, {"I64", 8, ElementType::I64}, {"BOOL", 1, ElementType::Bool},
    {"F64", 8, std::nullopt},     {"U16", 2, std::nullopt},     {"U32", 4, std::nullopt},
    {"U64", 8, std::nullopt},     {"F8_E4M3", 1, std::nullopt}, {"F8_E5M2", 1, std::nullopt},
};

const NamedType *findType(std::string_view name) {
  const auto *found = std::find_if(std::begin(namedTypes), std::end(namedTypes),
                                   [&](const NamedType &type) { return type.name == name; });
  return found == std::end(namedTypes) ? nullptr : found;
}

/// Follows the events of the JSON parser; what does not belong at its place is an error at once, so
/// that nothing is built up from a hostile text.
class HeaderParser : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit HeaderParser(std::vector<Entry> &entries) : entries(entries) {}

  std::string error;

  bool null() override { return reject("null"); }
  bool boolean(bool) override { return reject("a bool"); }
  bool number_integer(number_integer_t value) override { return reject(std::to_string(value)); }
  bool number_float(number_float_t, const string_t &text) override { return reject(text); }
  bool binary(binary_t &) override { return reject("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place == Place::Shape) {
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        return fail("expected sizes below 2^63, got " + std::to_string(value));
      entries.back().shape.push_back(static_cast<int64_t>(value));
      return true;
    }
    if (place == Place::Offsets && numOffsets < 2) {
      (numOffsets++ == 0 ? entries.back().begin : entries.back().end) = value;
      return true;
    }
    return reject(std::to_string(value));
  }

  bool string(string_t &value) override {
    if (place == Place::Metadata)
      return true;
    if (place != Place::Tensor || field != "dtype")
      return reject("a string");
    entries.back().dtype = value;
    return true;
  }

  bool start_object(std::size_t) override {
    if (place == Place::Root)
      place = Place::Tensors;
    else if (place == Place::Tensors)
      place = isMetadata ? Place::Metadata : Place::Tensor;
    else
      return reject("an object");
    return true;
  }

  bool key(string_t &name) override {
    if (place == Place::Metadata)
      return true;
    if (place == Place::Tensors) {
      isMetadata = name == "__metadata__";
      if (!names.insert(name).second)
        return fail(quoteName(name) + " stands twice in the header");
      if (!isMetadata) {
        entries.emplace_back().name = name;
        fields.clear();
        numOffsets = 0;
      }
      return true;
    }
    field = name;
    if (field != "dtype" && field != "shape" && field != "data_offsets")
      return fail("expected dtype, shape and data_offsets, got " + quoteName(field));
    if (!fields.insert(field).second)
      return fail(field + " stands twice");
    return true;
  }

  bool end_object() override {
    if (place == Place::Tensor) {
      if (fields.size() != 3 || numOffsets != 2)
        return fail("expected dtype, shape and two data_offsets");
      place = Place::Tensors;
    } else if (place == Place::Metadata) {
      place = Place::Tensors;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place != Place::Tensor || field == "dtype")
      return reject("an array");
    place = field == "shape" ? Place::Shape : Place::Offsets;
    return true;
  }

  bool end_array() override {
    place = Place::Tensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::json::exception &) override {
    error = "the header is no JSON text (at byte " + std::to_string(position) + ")";
    return false;
  }

private:
  enum class Place { Root, Tensors, Tensor, Shape, Offsets, Metadata };

  bool fail(const std::string &what) {
    bool inTensor = place == Place::Tensor || place == Place::Shape || place == Place::Offsets;
    error = inTensor ? quoteName(entries.back().name) + ": " + what : what;
    return false;
  }

  bool reject(const std::string &found) {
    switch (place) {
    case Place::Root:
      return fail("expected an object as header, got " + found);
    case Place::Tensors:
      return fail(quoteName(isMetadata ? "__metadata__" : entries.back().name) +
                  ": expected an object, got " + found);
    case Place::Tensor:
      return fail("expected " + field + " to be " +
                  (field == "dtype" ? "a string" : "an array of whole numbers") + ", got " + found);
    case Place::Shape:
      return fail("expected sizes of at least 0 as shape, got " + found);
    case Place::Offsets:
      return fail("expected two whole numbers as data_offsets, got " + found);
    case Place::Metadata:
      return fail("`__metadata__`: expected strings, got " + found);
    }
    return false;
  }

  std::vector<Entry> &entries;
  std::unordered_set<std::string> names, fields;
  std::string field;
  Place place = Place::Root;
  bool isMetadata = false;
  int numOffsets = 0;
};

/// Whether the bytes of `entry` are inside the data and as many as its shape asks for.
std::optional<std::string> checkEntry(const Entry &entry, uint64_t dataBytes) {
  std::string prefix = quoteName(entry.name) + ": ";
  std::string range = std::to_string(entry.begin) + " to " + std::to_string(entry.end);
  if (entry.begin > entry.end)
    return prefix + "expected data_offsets in ascending order, got " + range;
  if (entry.end > dataBytes)
    return prefix + "its data stands at bytes " + range + ", but the file holds only " +
           std::to_string(dataBytes) + " bytes of data";
  const NamedType *type = findType(entry.dtype);
  if (!type)
    return std::nullopt;
  int64_t bytes = type->size;
  bool isEmpty = std::find(entry.shape.begin(), entry.shape.end(), 0) != entry.shape.end();
  for (int64_t size : entry.shape)
    if (!isEmpty && __builtin_mul_overflow(bytes, size, &bytes))
      return prefix + "its shape asks for more than 2^63 bytes";
  bytes = isEmpty ? 0 : bytes;
  if (static_cast<uint64_t>(bytes) != entry.end - entry.begin)
    return prefix + "expected " + std::to_string(bytes) + " bytes for its shape of " + entry.dtype +
           ", got " + std::to_string(entry.end - entry.begin);
  return std::nullopt;
}

/// The data belongs to the tensors, each byte to one of them.
std::optional<std::string> checkCoverage(const std::vector<Entry> &entries, uint64_t dataBytes) {
  std::vector<const Entry *> ordered;
  for (const Entry &entry : entries)
    if (entry.begin != entry.end)
      ordered.push_back(&entry);
  std::sort(ordered.begin(), ordered.end(),
            [](const Entry *a, const Entry *b) { return a->begin < b->begin; });
  uint64_t covered = 0;
  const Entry *previous = nullptr;
  for (const Entry *entry : ordered) {
    if (entry->begin < covered)
      return "the data of " + quoteName(entry->name) + " overlaps that of " +
             quoteName(previous->name);
    if (entry->begin > covered)
      return "bytes " + std::to_string(covered) + " to " + std::to_string(entry->begin) +
             " of the data belong to no tensor";
    covered = entry->end;
    previous = entry;
  }
  if (covered != dataBytes)
    return "the last " + std::to_string(dataBytes - covered) +
           " bytes of the data belong to no tensor";
  return std::nullopt;
}
} // namespace

std::optional<ElementType> Entry::getElementType() const {
  const NamedType *type = findType(dtype);
  return type ? type->type : std::nullopt;
}

std::string safetensors::quoteName(std::string_view name) {
  constexpr size_t longest = 100;
  std::string quoted = "`";
  for (unsigned char c : name.substr(0, longest))
    quoted += c < 0x20 || c >= 0x7f ? '?' : static_cast<char>(c);
  return quoted + (name.size() > longest ? "...`" : "`");
}

std::optional<std::string> safetensors::parseHeader(std::string_view text, uint64_t dataBytes,
                                                    std::vector<Entry> &entries) {
  entries.clear();
  HeaderParser parser(entries);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &parser))
    return parser.error;
  for (const Entry &entry : entries)
    if (std::optional<std::string> error = checkEntry(entry, dataBytes))
      return error;
  return checkCoverage(entries, dataBytes);
}
