//===- Arguments.cpp - Kernel arguments given as text ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/tools/attn-emu/Arguments.h"
#include "runtime/emulator/Half.h"
#include "runtime/safetensors/Safetensors.h"
#include "runtime/tools/attn-emu/Options.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <cstring>

namespace attnc::emu {
namespace {

constexpr uint64_t maximumBytes = uint64_t(4) << 30;

unsigned sizeOf(std::string_view type) {
  for (std::string_view name : {"f64", "i64", "u64"})
    if (type == name)
      return 8;
  for (std::string_view name : {"f32", "i32", "u32"})
    if (type == name)
      return 4;
  for (std::string_view name : {"f16", "bf16", "i16", "u16"})
    if (type == name)
      return 2;
  for (std::string_view name : {"i8", "u8", "bool"})
    if (type == name)
      return 1;
  return 0;
}

/// The element type a file uses for `type`; unsigned integers are written as signed ones.
std::optional<ElementType> fileType(std::string_view type) {
  if (type == "u64")
    return ElementType::I64;
  if (type == "u32")
    return ElementType::I32;
  if (type == "u16")
    return ElementType::I16;
  return parseElementType(type);
}

bool isFloat(std::string_view type) {
  return type == "f64" || type == "f32" || type == "f16" || type == "bf16";
}

/// Bits of a number as `type`; nothing if the text is not a number.
std::optional<uint64_t> encode(std::string_view type, const std::string &text) {
  char *end = nullptr;
  if (isFloat(type)) {
    double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end)
      return std::nullopt;
    if (type == "f64")
      return std::bit_cast<uint64_t>(value);
    if (type == "f32")
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    return type == "f16" ? roundToHalf(value) : roundToBrain(value);
  }
  if (type == "bool" && (text == "true" || text == "false"))
    return text == "true";
  if (text.empty())
    return std::nullopt;
  uint64_t value = text[0] == '-' ? static_cast<uint64_t>(std::strtoll(text.c_str(), &end, 0))
                                  : std::strtoull(text.c_str(), &end, 0);
  if (*end)
    return std::nullopt;
  return value;
}

std::optional<std::string> fillBuffer(Argument &argument, const std::string &fill) {
  unsigned size = sizeOf(argument.type);
  size_t count = argument.bytes.size() / size;
  auto set = [&](size_t i, uint64_t bits) { std::memcpy(&argument.bytes[i * size], &bits, size); };
  if (fill == "zeros")
    return std::nullopt;
  if (fill == "uninit") {
    argument.isUninitialized = true;
    return std::nullopt;
  }
  if (fill == "iota") {
    for (size_t i = 0; i < count; ++i)
      set(i, encode(argument.type, std::to_string(i)).value_or(0));
    return std::nullopt;
  }
  if (fill.substr(0, 6) == "random") {
    uint64_t seed = 1;
    if (fill.size() > 6) {
      std::optional<uint64_t> given =
          fill[6] == ':' ? parseNumber(std::string_view(fill).substr(7)) : std::nullopt;
      if (!given)
        return "`" + fill + "` is not a fill";
      seed = *given;
    }
    Random random(seed);
    for (size_t i = 0; i < count; ++i) {
      uint64_t bits = random.next();
      double unit = static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
      if (argument.type == "f64")
        set(i, std::bit_cast<uint64_t>(unit));
      else if (argument.type == "f32")
        set(i, std::bit_cast<uint32_t>(static_cast<float>(unit)));
      else if (argument.type == "f16")
        set(i, roundToHalf(unit));
      else if (argument.type == "bf16")
        set(i, roundToBrain(unit));
      else
        set(i, argument.type == "bool" ? bits & 1 : bits);
    }
    return std::nullopt;
  }
  std::optional<uint64_t> bits = encode(argument.type, fill == "ones" ? "1" : fill);
  if (!bits)
    return "`" + fill + "` is not a fill";
  for (size_t i = 0; i < count; ++i)
    set(i, *bits);
  return std::nullopt;
}

std::optional<std::string> readTensor(Argument &argument, const std::string &path,
                                      const std::string &key) {
  safetensors::Reader reader;
  if (auto error = reader.open(path))
    return error->message;
  const safetensors::Entry *entry = reader.find(key);
  if (!entry)
    return path + ": there is no tensor " + safetensors::quoteName(key);
  std::optional<ElementType> type = entry->getElementType();
  if (!type)
    return path + ": type " + entry->dtype + " of tensor " + safetensors::quoteName(key) +
           " is not supported";
  argument.type = getName(*type);
  argument.shape = entry->shape;
  argument.bytes.resize(entry->end - entry->begin);
  if (auto error = reader.read(*entry, reinterpret_cast<char *>(argument.bytes.data())))
    return error->message;
  return std::nullopt;
}

std::optional<std::string> parseValue(const std::string &text, Argument &argument) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return "expected NAME=VALUE, got `" + text + "`";
  argument.name = text.substr(0, equals);
  std::string value = text.substr(equals + 1);
  size_t hash = value.rfind('#');
  if (hash != std::string::npos) {
    argument.isBuffer = true;
    return readTensor(argument, value.substr(0, hash), value.substr(hash + 1));
  }
  size_t colon = value.find(':');
  if (colon == std::string::npos)
    return "expected TYPE:VALUE or FILE#KEY for `" + argument.name + "`, got `" + value + "`";
  std::string type = value.substr(0, colon);
  std::string rest = value.substr(colon + 1);
  size_t bracket = type.find('[');
  if (bracket != std::string::npos) {
    argument.isBuffer = true;
    if (type.back() != ']')
      return "expected `]` after the shape of `" + argument.name + "`";
    std::string_view shape = std::string_view(type).substr(bracket + 1, type.size() - bracket - 2);
    uint64_t count = 1;
    while (!shape.empty()) {
      size_t comma = shape.find(',');
      std::optional<uint64_t> size = parseNumber(shape.substr(0, comma));
      if (!size || *size > (uint64_t(1) << 40) || __builtin_mul_overflow(count, *size, &count) ||
          count > (uint64_t(1) << 34))
        return "shape of `" + argument.name + "` is not valid";
      argument.shape.push_back(static_cast<int64_t>(*size));
      shape = comma == std::string_view::npos ? std::string_view() : shape.substr(comma + 1);
    }
    type.resize(bracket);
    unsigned elementSize = sizeOf(type);
    if (!elementSize)
      return "unknown type `" + type + "` of `" + argument.name + "`";
    argument.type = type;
    if (count > maximumBytes / elementSize)
      return "buffer `" + argument.name + "` is larger than 4 GiB";
    argument.bytes.resize(count * elementSize);
    return fillBuffer(argument, rest);
  }
  unsigned size = sizeOf(type);
  if (!size)
    return "unknown type `" + type + "` of `" + argument.name + "`";
  std::optional<uint64_t> bits = encode(type, rest);
  if (!bits)
    return "`" + rest + "` is not a number of type " + type;
  argument.type = type;
  argument.bytes.resize(size);
  std::memcpy(argument.bytes.data(), &*bits, size);
  return std::nullopt;
}

} // namespace

std::vector<uint8_t> Argument::getValue() const {
  if (!isBuffer)
    return bytes;
  std::vector<uint8_t> value(sizeof address);
  std::memcpy(value.data(), &address, sizeof address);
  return value;
}

std::optional<std::string> parseArgument(const std::string &text, size_t parameter,
                                         std::vector<Argument> &arguments) {
  auto parse = [&](const std::string &value, bool isMember) {
    Argument &argument = arguments.emplace_back();
    argument.parameter = parameter;
    argument.isMember = isMember;
    return parseValue(value, argument);
  };
  size_t open = text.find("={");
  if (open == std::string::npos)
    return parse(text, false);
  if (text.back() != '}')
    return "expected `}` at the end of `" + text + "`";
  for (size_t start = open + 2; start < text.size();) {
    size_t end = std::min(text.find(';', start), text.size() - 1);
    if (auto error = parse(text.substr(start, end - start), true))
      return error;
    start = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> packArguments(const Program &program,
                                         const std::vector<Argument> &arguments,
                                         std::vector<uint8_t> &parameters) {
  KernelArguments packed(program);
  size_t given = arguments.empty() ? 0 : arguments.back().parameter + 1;
  if (given != program.parameters.size())
    return "kernel `" + program.name + "` has " + std::to_string(program.parameters.size()) +
           " parameters, got " + std::to_string(given) + " arguments";
  for (size_t i = 0; i < arguments.size();) {
    size_t parameter = arguments[i].parameter;
    bool isStructure = arguments[i].isMember;
    std::string name = arguments[i].name;
    std::vector<uint8_t> bytes;
    size_t alignment = 1;
    for (; i < arguments.size() && arguments[i].parameter == parameter; ++i) {
      std::vector<uint8_t> value = arguments[i].getValue();
      size_t size = value.size();
      assert(size > 0);
      alignment = std::max(alignment, size);
      bytes.resize((bytes.size() + size - 1) / size * size);
      bytes.insert(bytes.end(), value.begin(), value.end());
    }
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    if (packed.add(bytes.data(), bytes.size()))
      continue;
    return (isStructure ? "the structure of `" : "argument `") + name + "` has " +
           std::to_string(bytes.size()) + " bytes, parameter " + std::to_string(parameter) +
           " of `" + program.name + "` has " + std::to_string(program.parameters[parameter].size);
  }
  parameters = packed.getBytes();
  return std::nullopt;
}

std::optional<std::string> writeBuffers(const std::string &path,
                                        const std::vector<Argument> &arguments) {
  std::vector<std::pair<std::string, TensorView>> tensors;
  for (const Argument &argument : arguments) {
    if (!argument.isBuffer)
      continue;
    std::optional<ElementType> type = fileType(argument.type);
    if (!type)
      return "buffer `" + argument.name + "` of type " + argument.type +
             " cannot be written to a .safetensors file";
    TensorView view;
    view.data = const_cast<uint8_t *>(argument.bytes.data());
    view.type = *type;
    view.sizes = argument.shape;
    view.strides.assign(argument.shape.size(), 1);
    for (size_t i = argument.shape.size(); i-- > 1;)
      view.strides[i - 1] = view.strides[i] * argument.shape[i];
    tensors.emplace_back(argument.name, view);
  }
  if (auto error = safetensors::write(path, tensors))
    return error->message;
  return std::nullopt;
}

} // namespace attnc::emu
