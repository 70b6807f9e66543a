//===- RandomTensors.cpp - Tensors of random numbers ------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/TensorSource.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

using namespace attnc;
using namespace attnc::driver;

namespace {
/// SplitMix64: small, and the same everywhere.
class Random {
public:
  Random(uint64_t seed, const std::string &name) : state(seed) {
    for (unsigned char c : name)
      state = (state ^ c) * 0x100000001b3;
  }

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double normal() {
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

private:
  uint64_t state;
};

void writeElement(const TensorBuffer &buffer, int64_t index, double value) {
  ElementType type = buffer.getView().type;
  char *place = buffer.getData() + index * getSize(type);
  auto put = [&](auto element) { std::memcpy(place, &element, sizeof(element)); };
  switch (type) {
  case ElementType::F32:
    return put(static_cast<float>(value));
  case ElementType::F16:
    return put(convertFloatToF16(static_cast<float>(value)));
  case ElementType::BF16:
    return put(convertFloatToBF16(static_cast<float>(value)));
  case ElementType::I8:
  case ElementType::U8:
    return put(static_cast<uint8_t>(static_cast<int64_t>(value)));
  case ElementType::I16:
    return put(static_cast<int16_t>(value));
  case ElementType::I32:
    return put(static_cast<int32_t>(value));
  case ElementType::I64:
    return put(static_cast<int64_t>(value));
  case ElementType::Bool:
    return put(static_cast<uint8_t>(value != 0));
  }
}

/// The least and largest value of an element type; those of f32 for floats.
std::pair<double, double> getLimits(ElementType type) {
  if (isFloat(type))
    return {-3.4e38, 3.4e38};
  if (type == ElementType::Bool)
    return {0, 1};
  if (type == ElementType::U8)
    return {0, 255};
  double half = std::ldexp(1.0, static_cast<int>(8 * getSize(type)) - 1);
  return {-half, type == ElementType::I64 ? half - 1024 : half - 1};
}

/// Runs of equal ids along the last dimension, of random lengths of at least 1 where they fit.
void fillDocuments(const TensorBuffer &buffer, int64_t documents, Random &random) {
  int64_t length = buffer.getView().sizes.empty() ? 1 : buffer.getView().sizes.back();
  for (int64_t row = 0; length && row < buffer.getNumElements() / length; ++row) {
    std::vector<int64_t> starts;
    for (int64_t i = 1; i < documents; ++i)
      starts.push_back(static_cast<int64_t>(random.next() % static_cast<uint64_t>(length)));
    std::sort(starts.begin(), starts.end());
    int64_t id = 0;
    for (int64_t i = 0; i < length; ++i) {
      while (id < static_cast<int64_t>(starts.size()) && starts[id] <= i)
        ++id;
      writeElement(buffer, row * length + i, static_cast<double>(id));
    }
  }
}

class RandomTensors : public TensorSource {
public:
  explicit RandomTensors(const RunOptions &options)
      : options(options), sizes(options.random->sizes) {}

  std::optional<RunError> addMainTensors(LaunchArguments &arguments) override {
    auto size = [&](const char *name) { return sizes.at(name); };
    struct Main {
      const char *name;
      TensorView &view;
      std::vector<int64_t> sizes;
    };
    const Main tensors[] = {{"q", arguments.q, {size("B"), size("Hq"), size("Q"), size("D")}},
                            {"k", arguments.k, {size("B"), size("Hkv"), size("KV"), size("D")}},
                            {"v", arguments.v, {size("B"), size("Hkv"), size("KV"), size("Dv")}}};
    for (const Main &tensor : tensors)
      if (auto error = add(tensor.name, options.random->dtype, tensor.sizes, tensor.view))
        return error;
    return std::nullopt;
  }

  std::optional<RunError> addCaptures(const KernelInfo &info, LaunchArguments &arguments) override {
    std::vector<std::string> names = {"q", "k", "v"};
    for (const CaptureInfo &capture : info.captures)
      names.push_back(capture.name);
    for (const auto &[name, fill] : options.fills)
      if (std::find(names.begin(), names.end(), name) == names.end())
        return makeUnknownNameError("--fill", name, names);
    std::vector<std::string> dims = {"B", "Hq", "Hkv", "Q", "KV", "D", "Dv"};
    dims.insert(dims.end(), info.extents.begin(), info.extents.end());
    for (const auto &[name, size] : sizes)
      if (std::find(dims.begin(), dims.end(), name) == dims.end())
        return makeUnknownNameError("--random", name, dims);
    for (const CaptureInfo &capture : info.captures)
      if (auto error = addCapture(capture, arguments))
        return error;
    return std::nullopt;
  }

private:
  std::optional<RunError> addCapture(const CaptureInfo &capture, LaunchArguments &arguments) {
    std::string unknown;
    auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
      auto found = sizes.find(std::string(name));
      if (found != sizes.end())
        return found->second;
      unknown = name;
      return std::nullopt;
    };
    std::vector<int64_t> shape;
    for (const SizeExpr &expr : capture.shape) {
      std::optional<int64_t> size = expr.evaluate(lookup);
      if (!unknown.empty())
        return RunError{BadUsage, "`--random`: expected a value of `" + unknown + "`, a size of `" +
                                      capture.name + "`, got none"};
      if (!size || *size < 0)
        return RunError{BadInput, "`" + capture.name + "`: the size `" + expr.print() +
                                      "` is negative or beyond 64 bits"};
      shape.push_back(*size);
    }
    return add(capture.name, capture.type, shape, arguments.captures[capture.name]);
  }

  std::optional<RunError> add(const std::string &name, ElementType type,
                              const std::vector<int64_t> &shape, TensorView &view) {
    TensorBuffer &buffer = buffers[name];
    if (auto error = TensorBuffer::allocate("`" + name + "`", type, shape, buffer))
      return error;
    view = buffer.getView();
    FillOption fill;
    auto given = options.fills.find(name);
    if (given != options.fills.end()) {
      fill = given->second;
    } else if (!isFloat(type)) {
      // Positions along the last dimension, or coins.
      fill.kind = FillOption::Range;
      fill.high = std::min<double>(shape.empty() ? 0 : std::max<int64_t>(shape.back() - 1, 0),
                                   getLimits(type).second);
    }
    return fillBuffer(name, buffer, fill);
  }

  std::optional<RunError> fillBuffer(const std::string &name, const TensorBuffer &buffer,
                                     const FillOption &fill) {
    Random random(options.seed, name);
    ElementType type = buffer.getView().type;
    auto [least, largest] = getLimits(type);
    auto makeRangeError = [&](double value) {
      return RunError{BadUsage, "`--fill`: `" + name + "` of " + getName(type) + " cannot hold " +
                                    std::to_string(value)};
    };
    int64_t n = buffer.getNumElements();
    switch (fill.kind) {
    case FillOption::Normal:
      if (!isFloat(type))
        return RunError{BadUsage, "`--fill`: expected range, documents or const for `" + name +
                                      "` of " + getName(type) + ", got normal"};
      for (int64_t i = 0; i < n; ++i)
        writeElement(buffer, i, random.normal());
      break;
    case FillOption::Range: {
      if (fill.low < least || fill.high > largest)
        return makeRangeError(fill.low < least ? fill.low : fill.high);
      double width = fill.high - fill.low + (isFloat(type) ? 0 : 1);
      for (int64_t i = 0; i < n; ++i) {
        double value = fill.low + width * random.uniform();
        writeElement(buffer, i, isFloat(type) ? value : std::floor(value));
      }
      break;
    }
    case FillOption::Documents:
      if (static_cast<double>(fill.documents - 1) > largest)
        return makeRangeError(static_cast<double>(fill.documents - 1));
      fillDocuments(buffer, fill.documents, random);
      break;
    case FillOption::Const:
      if (!isFloat(type) && !(fill.low >= least && fill.low <= largest))
        return makeRangeError(fill.low);
      for (int64_t i = 0; i < n; ++i)
        writeElement(buffer, i, fill.low);
      break;
    }
    return std::nullopt;
  }

  const RunOptions &options;
  std::map<std::string, int64_t> sizes;
  std::map<std::string, TensorBuffer> buffers;
};
} // namespace

std::unique_ptr<TensorSource> driver::createRandomTensors(const RunOptions &options) {
  return std::make_unique<RandomTensors>(options);
}
