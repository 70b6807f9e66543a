//===- Launch.cpp - Launch arguments and their checks -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/Launch.h"
#include "attnc/ArgumentLayout.h"
#include "attnc/NearestName.h"
#include "runtime/ScalarSlot.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace attnc;

namespace {
using Error = std::optional<std::string>;

constexpr int64_t maxSize = std::numeric_limits<int32_t>::max();

std::string quote(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string printList(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

std::string printShape(const std::vector<SizeExpr> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + shape[i].print();
  return text + "]";
}

std::string suggest(std::string_view name, const std::vector<std::string> &candidates) {
  std::optional<std::string> nearest = findNearestName(name, candidates);
  return nearest ? ", did you mean " + quote(*nearest) + "?" : "";
}

/// Rank, element type, sizes, strides and storage of one tensor, without regard to others.
Error checkTensor(std::string_view name, const TensorView &view, ElementType type,
                  const std::vector<SizeExpr> &shape) {
  std::string prefix = quote(name) + ": expected ";
  if (view.sizes.size() != shape.size())
    return prefix + std::to_string(shape.size()) + " dimensions " + printShape(shape) + ", got " +
           std::to_string(view.sizes.size()) + " of sizes " + printList(view.sizes);
  if (view.strides.size() != view.sizes.size())
    return prefix + "one stride a dimension, got " + std::to_string(view.strides.size()) +
           " strides for " + std::to_string(view.sizes.size()) + " dimensions";
  if (view.type != type)
    return prefix + "elements of " + getName(type) + ", got " + getName(view.type);
  for (size_t i = 0; i < view.sizes.size(); ++i) {
    std::string dim = " of dimension " + std::to_string(i);
    if (view.sizes[i] < 0 || view.sizes[i] > maxSize)
      return prefix + "a size from 0 to " + std::to_string(maxSize) + dim + ", got " +
             std::to_string(view.sizes[i]);
    if (view.strides[i] < 0)
      return prefix + "a stride of at least 0" + dim + ", got " + std::to_string(view.strides[i]);
  }
  int64_t elements = 1;
  bool empty = std::find(view.sizes.begin(), view.sizes.end(), 0) != view.sizes.end();
  for (int64_t size : view.sizes)
    if (!empty && __builtin_mul_overflow(elements, size, &elements))
      return prefix + "fewer than 2^63 elements, got sizes " + printList(view.sizes);
  std::optional<int64_t> span = getSpan(view);
  if (!span)
    return prefix + "elements within 2^63 bytes, got sizes " + printList(view.sizes) +
           " with strides " + printList(view.strides);
  if (*span != 0 && !view.data)
    return prefix + "a pointer to " + std::to_string(*span) + " bytes, got null";
  if (reinterpret_cast<uintptr_t>(view.data) % getSize(type) != 0)
    return prefix + "data aligned to " + std::to_string(getSize(type)) + " bytes, got an address " +
           std::to_string(reinterpret_cast<uintptr_t>(view.data) % getSize(type)) + " past that";
  return std::nullopt;
}

/// Binds the arguments of one launch; stops at the first error.
class Binder {
public:
  Binder(const KernelInfo &info, const LaunchArguments &arguments)
      : info(info), arguments(arguments), layout(info) {}

  Error bind(BoundArguments &bound) {
    slots.assign(layout.getNumSlots(), 0);
    for (auto check : {&Binder::bindMainTensors, &Binder::bindLse, &Binder::findCaptures,
                       &Binder::solveExtents, &Binder::bindCaptures, &Binder::checkRequirements,
                       &Binder::bindScalars, &Binder::bindScale})
      if (Error error = (this->*check)())
        return error;
    bound.B = sizes["B"];
    bound.Hq = sizes["Hq"];
    bound.Hkv = sizes["Hkv"];
    bound.Q = sizes["Q"];
    bound.KV = sizes["KV"];
    bound.extents.clear();
    for (const std::string &name : info.extents)
      bound.extents.push_back(sizes[name]);
    bound.slots = std::move(slots);
    return std::nullopt;
  }

private:
  SizeExpr::Lookup lookup() const {
    return [this](std::string_view name) -> std::optional<int64_t> {
      auto found = sizes.find(name);
      return found == sizes.end() ? std::nullopt : std::optional(found->second);
    };
  }

  /// Binds the names in `shape` that are not known yet, and compares the others.
  Error matchShape(std::string_view name, const TensorView &view,
                   const std::vector<SizeExpr> &shape) {
    for (size_t i = 0; i < shape.size(); ++i) {
      if (auto solution = shape[i].solve(view.sizes[i], lookup())) {
        sizes[solution->first] = solution->second;
        origins[solution->first] = name;
        continue;
      }
      std::optional<int64_t> expected = shape[i].evaluate(lookup());
      std::string dim = " for dimension " + std::to_string(i);
      if (!expected)
        return quote(name) + ": the size " + quote(shape[i].print()) + dim +
               " does not fit 64 bits";
      if (*expected != view.sizes[i])
        return quote(name) + ": expected size " + printSize(shape[i], *expected) + dim + ", got " +
               std::to_string(view.sizes[i]);
    }
    return std::nullopt;
  }

  /// `Q + KV - 1` = 11, and for a name alone the tensor that gave it: `KV` = 8 of `k`.
  std::string printSize(const SizeExpr &size, int64_t value) const {
    std::string text = std::to_string(value);
    if (size.getSteps().front().kind == SizeExpr::Kind::Constant && size.getSteps().size() == 1)
      return text;
    text = quote(size.print()) + " = " + text;
    auto origin = origins.find(size.print());
    return origin == origins.end() ? text : text + " of " + quote(origin->second);
  }

  void setTensor(int64_t slot, const TensorView &view) {
    slots[slot] = reinterpret_cast<intptr_t>(view.data);
    for (int64_t i = 0; i < 3; ++i)
      slots[slot + 1 + i] = view.strides[i];
  }

  /// Two elements of a written tensor must not be one, or threads would race. Without elements any
  /// strides will do.
  static Error checkWritable(std::string_view name, const TensorView &view) {
    if (std::find(view.sizes.begin(), view.sizes.end(), 0) != view.sizes.end())
      return std::nullopt;
    for (size_t i = 0; i < view.sizes.size(); ++i)
      if (view.sizes[i] > 1 && view.strides[i] == 0)
        return quote(name) + ": expected a stride of at least 1 of dimension " + std::to_string(i) +
               " as the tensor is written, got 0";
    // From the smallest stride on, each steps over all that those before it reach.
    std::vector<std::pair<int64_t, int64_t>> dims;
    for (size_t i = 0; i < view.sizes.size(); ++i)
      if (view.sizes[i] > 1)
        dims.emplace_back(view.strides[i], view.sizes[i]);
    std::sort(dims.begin(), dims.end());
    int64_t reach = 0;
    for (auto [stride, size] : dims) {
      if (stride <= reach)
        return quote(name) + ": expected strides that keep elements apart as the tensor is " +
               "written, got sizes " + printList(view.sizes) + " with strides " +
               printList(view.strides);
      reach += (size - 1) * stride;
    }
    return std::nullopt;
  }

  Error bindMainTensors() {
    SizeExpr d = SizeExpr::constant(info.headDim), dv = SizeExpr::constant(info.valueDim);
    auto size = [](const char *name) { return SizeExpr::symbol(name); };
    struct Main {
      std::string_view name;
      const TensorView &view;
      int64_t slot;
      std::vector<SizeExpr> shape;
    };
    const Main tensors[] = {
        {"q", arguments.q, ArgumentLayout::QTensor, {size("B"), size("Hq"), size("Q"), d}},
        {"k", arguments.k, ArgumentLayout::KTensor, {size("B"), size("Hkv"), size("KV"), d}},
        {"v", arguments.v, ArgumentLayout::VTensor, {size("B"), size("Hkv"), size("KV"), dv}},
        {"o", arguments.o, ArgumentLayout::OTensor, {size("B"), size("Hq"), size("Q"), dv}},
    };
    for (const Main &tensor : tensors) {
      if (Error error = checkTensor(tensor.name, tensor.view, info.dtype, tensor.shape))
        return error;
      if (Error error = matchShape(tensor.name, tensor.view, tensor.shape))
        return error;
      if (tensor.view.strides.back() != 1 && tensor.view.sizes.back() > 1)
        return quote(tensor.name) + ": expected a stride of 1 of the last dimension, got " +
               std::to_string(tensor.view.strides.back());
      setTensor(tensor.slot, tensor.view);
    }
    if (Error error = checkWritable("o", arguments.o))
      return error;
    int64_t hq = sizes["Hq"], hkv = sizes["Hkv"];
    if (hkv == 0 ? hq != 0 : hq % hkv != 0)
      return "`q`: expected a number of heads that is a multiple of the " + std::to_string(hkv) +
             " heads of `k`, got " + std::to_string(hq);
    int64_t slot = ArgumentLayout::B;
    for (const char *name : {"B", "Hq", "Hkv", "Q", "KV"})
      slots[slot++] = sizes[name];
    return std::nullopt;
  }

  Error bindLse() {
    if (info.lse && !arguments.lse)
      return "`lse`: expected a tensor, as the kernel writes the log-sum-exp, got none";
    if (!info.lse && arguments.lse)
      return "`lse`: expected no tensor, as the kernel was compiled without lse, got one";
    if (!arguments.lse)
      return std::nullopt;
    std::vector<SizeExpr> shape = {SizeExpr::symbol("B"), SizeExpr::symbol("Hq"),
                                   SizeExpr::symbol("Q")};
    if (Error error = checkTensor("lse", *arguments.lse, ElementType::F32, shape))
      return error;
    if (Error error = matchShape("lse", *arguments.lse, shape))
      return error;
    setTensor(ArgumentLayout::LseTensor, *arguments.lse);
    return checkWritable("lse", *arguments.lse);
  }

  /// Every captured tensor is there and nothing else is.
  Error findCaptures() {
    std::vector<std::string> names;
    for (const CaptureInfo &capture : info.captures)
      names.push_back(capture.name);
    for (const auto &[name, view] : arguments.captures)
      if (std::find(names.begin(), names.end(), name) == names.end())
        return quote(name) + ": the kernel captures no tensor of this name" + suggest(name, names);
    for (const CaptureInfo &capture : info.captures) {
      auto found = arguments.captures.find(capture.name);
      if (found == arguments.captures.end())
        return quote(capture.name) + ": expected a captured tensor of " + getName(capture.type) +
               printShape(capture.shape) + ", got none";
      if (Error error = checkTensor(capture.name, found->second, capture.type, capture.shape))
        return error;
      captures.push_back(&found->second);
    }
    return std::nullopt;
  }

  /// Extents from all sizes that determine them, in any order.
  Error solveExtents() {
    for (bool progress = true; progress;) {
      progress = false;
      for (size_t c = 0; c < captures.size(); ++c)
        for (size_t i = 0; i < captures[c]->sizes.size(); ++i)
          if (auto solution = info.captures[c].shape[i].solve(captures[c]->sizes[i], lookup())) {
            if (solution->second < 0)
              return quote(info.captures[c].name) + ": expected size " +
                     quote(info.captures[c].shape[i].print()) + " for dimension " +
                     std::to_string(i) + " with " + quote(solution->first) +
                     " of at least 0, got " + std::to_string(captures[c]->sizes[i]);
            sizes[solution->first] = solution->second;
            origins[solution->first] = info.captures[c].name;
            progress = true;
          }
    }
    for (const std::string &name : info.extents)
      if (!sizes.count(name))
        return getUnsolvedError(name);
    for (size_t i = 0; i < info.extents.size(); ++i)
      slots[layout.getExtent(static_cast<int64_t>(i))] = sizes[info.extents[i]];
    return std::nullopt;
  }

  Error getUnsolvedError(const std::string &extent) const {
    for (size_t c = 0; c < captures.size(); ++c)
      for (size_t i = 0; i < captures[c]->sizes.size(); ++i)
        for (const SizeExpr::Step &step : info.captures[c].shape[i].getSteps())
          if (step.symbol == extent)
            return quote(info.captures[c].name) + ": expected size " +
                   quote(info.captures[c].shape[i].print()) + " for dimension " +
                   std::to_string(i) + ", got " + std::to_string(captures[c]->sizes[i]) +
                   ", from which " + quote(extent) + " does not follow";
    return quote(extent) + ": no captured tensor gives this size";
  }

  Error bindCaptures() {
    for (size_t c = 0; c < captures.size(); ++c) {
      const TensorView &view = *captures[c];
      if (Error error = matchShape(info.captures[c].name, view, info.captures[c].shape))
        return error;
      int64_t capture = static_cast<int64_t>(c);
      slots[layout.getCapturePointer(capture)] = reinterpret_cast<intptr_t>(view.data);
      for (int64_t i = 0; i < view.getRank(); ++i) {
        slots[layout.getCaptureSize(capture, i)] = view.sizes[i];
        slots[layout.getCaptureStride(capture, i)] = view.strides[i];
      }
    }
    return std::nullopt;
  }

  Error checkRequirements() {
    // Without pairs nothing is indexed.
    for (const char *name : {"B", "Hq", "Q", "KV"})
      if (sizes[name] == 0)
        return std::nullopt;
    for (const Requirement &requirement : info.requirements) {
      const TensorView &view = arguments.captures.at(requirement.capture);
      int64_t size = view.sizes[requirement.dim];
      if (requirement.index < -size || requirement.index >= size)
        return quote(requirement.capture) + ": expected a size that holds the constant index " +
               std::to_string(requirement.index) + " for dimension " +
               std::to_string(requirement.dim) + ", got " + std::to_string(size);
    }
    return std::nullopt;
  }

  Error bindScalars() {
    std::vector<std::string> names;
    for (const ScalarInfo &scalar : info.scalars)
      names.push_back(scalar.name);
    for (const auto &[name, value] : arguments.scalars)
      if (std::find(names.begin(), names.end(), name) == names.end())
        return quote(name) + ": the kernel has no scalar argument of this name" +
               suggest(name, names);
    for (size_t i = 0; i < info.scalars.size(); ++i) {
      const ScalarInfo &scalar = info.scalars[i];
      auto found = arguments.scalars.find(scalar.name);
      if (found == arguments.scalars.end())
        return quote(scalar.name) + ": expected a value of type " + getName(scalar.type) +
               ", got none";
      if (Error error = convertScalar(scalar.type, found->second,
                                      slots[layout.getScalar(static_cast<int64_t>(i))]))
        return quote(scalar.name) + ": expected " + *error;
    }
    return std::nullopt;
  }

  Error bindScale() {
    if (info.scale && arguments.scale)
      return "`scale`: expected no value, as the kernel fixes it to " +
             std::to_string(*info.scale) + ", got " + std::to_string(*arguments.scale);
    if (!info.scale && !arguments.scale)
      return "`scale`: expected a value, as the kernel takes it as an argument, got none";
    float scale = info.scale ? *info.scale : *arguments.scale;
    if (!std::isfinite(scale))
      return "`scale`: expected a finite value, got " + std::to_string(scale);
    slots[ArgumentLayout::Scale] = getFloatBits(scale);
    return std::nullopt;
  }

  const KernelInfo &info;
  const LaunchArguments &arguments;
  ArgumentLayout layout;
  std::vector<int64_t> slots;
  std::vector<const TensorView *> captures;
  /// The known dimensions and extents, and the tensor that gave each.
  std::map<std::string, int64_t, std::less<>> sizes;
  std::map<std::string, std::string, std::less<>> origins;
};
} // namespace

std::optional<int64_t> attnc::getSpan(const TensorView &view) {
  int64_t last = 0;
  for (size_t i = 0; i < view.sizes.size(); ++i) {
    if (view.sizes[i] == 0)
      return 0;
    int64_t reach = 0;
    if (__builtin_mul_overflow(view.sizes[i] - 1, view.strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return std::nullopt;
  }
  int64_t bytes = 0;
  if (__builtin_add_overflow(last, int64_t(1), &bytes) ||
      __builtin_mul_overflow(bytes, getSize(view.type), &bytes))
    return std::nullopt;
  return bytes;
}

std::optional<std::string> attnc::bindArguments(const KernelInfo &info,
                                                const LaunchArguments &arguments,
                                                BoundArguments &bound) {
  return Binder(info, arguments).bind(bound);
}
