//===- LaunchGenerator.cpp - Random tensors in random places ----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/sweep/LaunchGenerator.h"
#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

using namespace attnc;
using namespace attnc::sweep;

namespace {
/// Of the work that one launch may cost the reference, in multiply-adds.
constexpr int64_t maxWork = 4'000'000;

template <typename T> T saturate(double value) {
  // The largest number of a wide type may be none of double.
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(std::max(value, static_cast<double>(std::numeric_limits<T>::min())));
}

void writeElement(char *data, ElementType type, int64_t index, double value) {
  char *place = data + index * getSize(type);
  auto put = [&](auto element) { std::memcpy(place, &element, sizeof(element)); };
  switch (type) {
  case ElementType::F32:
    return put(static_cast<float>(value));
  case ElementType::F16:
    return put(convertFloatToF16(static_cast<float>(value)));
  case ElementType::BF16:
    return put(convertFloatToBF16(static_cast<float>(value)));
  case ElementType::I8:
    return put(saturate<int8_t>(value));
  case ElementType::U8:
    return put(saturate<uint8_t>(value));
  case ElementType::I16:
    return put(saturate<int16_t>(value));
  case ElementType::I32:
    return put(saturate<int32_t>(value));
  case ElementType::I64:
    return put(saturate<int64_t>(value));
  case ElementType::Bool:
    return put(static_cast<uint8_t>(value != 0));
  }
}

class LaunchGenerator {
public:
  LaunchGenerator(Random &random, const KernelInfo &info, const GeneratedProgram &program)
      : random(random), info(info), program(program) {}

  GeneratedLaunch generate() {
    chooseSizes();
    double gain = random.pick({0.0, 1.0, 1.0, 1.0, 3.0});
    LaunchArguments &arguments = launch.arguments;
    int64_t B = sizes["B"], Hq = sizes["Hq"], Hkv = sizes["Hkv"], Q = sizes["Q"], KV = sizes["KV"];
    auto normal = [&](double factor) {
      return [this, factor](const std::vector<int64_t> &) { return factor * random.normal(); };
    };
    arguments.q = addTensor("q", info.dtype, {B, Hq, Q, info.headDim}, true, normal(gain));
    arguments.k = addTensor("k", info.dtype, {B, Hkv, KV, info.headDim}, true, normal(1));
    arguments.v = addTensor("v", info.dtype, {B, Hkv, KV, info.valueDim}, true, normal(1));
    if (random.chance(12))
      poison();
    for (const CaptureInfo &capture : info.captures)
      addCapture(capture);
    for (const auto &[name, value] : program.scalars)
      if (name == "scale")
        arguments.scale = static_cast<float>(std::get<double>(value));
      else
        arguments.scalars[name] = value;
    return std::move(launch);
  }

private:
  int64_t chooseLength() {
    switch (random.range(0, 9)) {
    case 0:
      return random.range(0, 2);
    case 1:
      return random.pick<int64_t>({16, 32, 64, 96, 128}) * random.range(1, 2) + random.range(-1, 1);
    case 2:
      return random.range(100, 500);
    default:
      return random.range(3, 130);
    }
  }

  void chooseSizes() {
    for (;;) {
      int64_t hkv = random.range(1, 3);
      sizes = {{"B", random.chance(2) ? 0 : random.range(1, 3)},
               {"Hkv", hkv},
               {"Hq", hkv * random.pick<int64_t>({1, 1, 2, 3, 5})},
               {"Q", chooseLength()},
               {"KV", chooseLength()},
               {"max_len", 0}};
      if (random.chance(25))
        sizes["B"] = sizes["Hkv"] = sizes["Hq"] = 1;
      if (random.chance(15))
        sizes["Q"] = 1;
      sizes["max_len"] = std::max(sizes["Q"], sizes["KV"]);
      for (const std::string &extent : info.extents)
        if (extent != "max_len")
          sizes[extent] = random.chance(5) ? 0 : random.range(1, 80);
      int64_t work =
          sizes["B"] * sizes["Hq"] * sizes["Q"] * sizes["KV"] * (info.headDim + info.valueDim + 32);
      if (work <= maxWork && sizes["Q"] + sizes["KV"] > 0)
        return;
    }
  }

  /// A tensor of this logical shape, its elements from `value`, its dimensions stored in any order
  /// with gaps between; the last one stays innermost if `rowsAreDense`.
  TensorView addTensor(const std::string &name, ElementType type, std::vector<int64_t> shape,
                       bool rowsAreDense,
                       const std::function<double(const std::vector<int64_t> &)> &value) {
    auto rank = static_cast<int64_t>(shape.size());
    std::vector<int64_t> order(rank); // from the innermost dimension on
    std::iota(order.rbegin(), order.rend(), 0);
    bool isPlain = random.chance(40);
    if (!isPlain)
      for (int64_t i = rowsAreDense ? 1 : 0; i < rank; ++i)
        std::swap(order[i], order[random.range(i, rank - 1)]);
    GeneratedTensor tensor;
    std::vector<int64_t> strides(rank, 0);
    int64_t stride = 1;
    for (int64_t i = 0; i < rank; ++i) {
      bool mayGap = !isPlain && !(rowsAreDense && i == 0);
      bool isShared = mayGap && random.chance(5);
      if (mayGap && random.chance(30))
        stride += random.range(1, 9);
      strides[order[i]] = isShared ? 0 : stride;
      if (!isShared)
        stride *= std::max<int64_t>(shape[order[i]], 1);
    }
    tensor.offset = isPlain ? 0 : random.range(0, 5);
    tensor.view = {nullptr, type, shape, strides};
    int64_t elements = tensor.offset + *getSpan(tensor.view) / getSize(type);
    tensor.storage = GuardedBuffer(elements * getSize(type), random.chance(20));
    char *data = tensor.storage.getData();
    for (int64_t i = 0; i < elements; ++i)
      writeElement(data, type, i,
                   type == ElementType::Bool ? 1
                   : isFloat(type)           ? std::numeric_limits<double>::quiet_NaN()
                                             : 99);
    forEachIndex(shape, [&](const std::vector<int64_t> &index) {
      int64_t place = tensor.offset;
      for (int64_t i = 0; i < rank; ++i)
        place += index[i] * strides[i];
      writeElement(data, type, place, value(index));
    });
    tensor.view.data = data + tensor.offset * getSize(type);
    TensorView view = tensor.view;
    launch.tensors[name] = std::move(tensor);
    return view;
  }

  static void forEachIndex(const std::vector<int64_t> &shape,
                           const std::function<void(const std::vector<int64_t> &)> &visit) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
      return;
    std::vector<int64_t> index(shape.size(), 0);
    for (;;) {
      visit(index);
      size_t dim = shape.size();
      while (dim > 0 && ++index[dim - 1] == shape[dim - 1])
        index[--dim] = 0;
      if (dim == 0)
        return;
    }
  }

  /// NaN or an infinity in some keys, NaN in some values: rows that see them are NaN, no others.
  void poison() {
    for (const char *name : {"k", "v"}) {
      const GeneratedTensor &tensor = launch.tensors[name];
      if (std::find(tensor.view.sizes.begin(), tensor.view.sizes.end(), 0) !=
          tensor.view.sizes.end())
        continue;
      for (int64_t i = random.range(0, 3); i > 0; --i) {
        int64_t place = tensor.offset;
        for (size_t dim = 0; dim < 4; ++dim)
          place += random.range(0, tensor.view.sizes[dim] - 1) * tensor.view.strides[dim];
        double value = std::numeric_limits<double>::quiet_NaN();
        if (name[0] == 'k' && random.chance(30))
          value = std::numeric_limits<double>::infinity();
        writeElement(tensor.storage.getData(), tensor.view.type, place, value);
      }
    }
  }

  void addCapture(const CaptureInfo &capture) {
    std::vector<int64_t> shape;
    for (const SizeExpr &size : capture.shape)
      shape.push_back(*size.evaluate([&](std::string_view name) -> std::optional<int64_t> {
        return sizes.at(std::string(name));
      }));
    Content content = program.captures.at(capture.name);
    int64_t percent = random.pick<int64_t>({5, 50, 50, 95});
    int64_t runLength = random.range(1, 40);
    bool isHostile = random.chance(10);
    auto value = [&](const std::vector<int64_t> &index) -> double {
      switch (content) {
      case Content::Bias:
        return random.normal();
      case Content::Factor:
        return random.uniform(0.5, 1.5);
      case Content::Positions:
        if (isHostile && random.chance(20))
          return random.pick({-0x1p63, -0x1p31, 0x1p31, 0x1p63});
        return static_cast<double>(random.range(-8, sizes["max_len"] + 8));
      case Content::Ids:
        return static_cast<double>((index.empty() ? 0 : index.back()) / runLength % 7);
      case Content::Lengths:
        return static_cast<double>(random.range(0, sizes["KV"] + 3));
      case Content::Coins:
        return random.chance(static_cast<int>(percent));
      }
      return 0;
    };
    launch.arguments.captures[capture.name] =
        addTensor(capture.name, capture.type, shape, /*rowsAreDense=*/false, value);
  }

  Random &random;
  const KernelInfo &info;
  const GeneratedProgram &program;
  std::map<std::string, int64_t> sizes;
  GeneratedLaunch launch;
};
} // namespace

GeneratedLaunch sweep::generateLaunch(Random &random, const KernelInfo &info,
                                      const GeneratedProgram &program) {
  return LaunchGenerator(random, info, program).generate();
}
