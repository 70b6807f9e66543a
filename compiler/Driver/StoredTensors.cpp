//===- StoredTensors.cpp - Tensors of a file, as views ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/NearestName.h"
#include "compiler/Driver/TensorSource.h"
#include "runtime/safetensors/Safetensors.h"
#include <algorithm>
#include <cstring>

using namespace attnc;
using namespace attnc::driver;

static std::string printList(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

static RunError makeFileError(const safetensors::Error &error) {
  bool isEnvironment = error.kind == safetensors::Error::Environment;
  return {isEnvironment ? Environment : BadInput, error.message};
}

static std::string quote(const std::string &name) { return safetensors::quoteName(name); }

RunError driver::makeUnknownNameError(const std::string &option, const std::string &name,
                                      const std::vector<std::string> &known) {
  auto nearest = findNearestName(name, known);
  return {BadUsage, "`" + option + "`: the program has no " + quote(name) +
                        (nearest ? ", did you mean " + quote(*nearest) + "?" : "")};
}

namespace {
class StoredTensors : public TensorSource {
public:
  explicit StoredTensors(const RunOptions &options) : options(options) {}

  std::optional<RunError> addMainTensors(LaunchArguments &arguments) override {
    if (auto error = options.in == "-" ? file.openStandardInput() : file.open(options.in))
      return makeFileError(*error);
    const std::pair<const char *, TensorView *> tensors[] = {
        {"q", &arguments.q}, {"k", &arguments.k}, {"v", &arguments.v}};
    for (auto [name, view] : tensors) {
      if (auto error = getView(name, "a tensor", *view))
        return error;
      if (auto error = applyLayout(name, *view))
        return error;
    }
    return std::nullopt;
  }

  std::optional<RunError> addCaptures(const KernelInfo &info, LaunchArguments &arguments) override {
    std::vector<std::string> names = {"q", "k", "v"};
    for (const CaptureInfo &capture : info.captures)
      names.push_back(capture.name);
    for (const ScalarInfo &scalar : info.scalars)
      names.push_back(scalar.name);
    for (const auto &[name, view] : options.views)
      if (std::find(names.begin(), names.end(), name) == names.end())
        return makeUnknownNameError("--view", name, names);
    for (const CaptureInfo &capture : info.captures) {
      std::string shape;
      for (const SizeExpr &size : capture.shape)
        shape += (shape.empty() ? "" : ", ") + size.print();
      std::string expected = "a captured tensor of " + getName(capture.type) + "[" + shape + "]";
      if (auto error = getView(capture.name, expected, arguments.captures[capture.name]))
        return error;
    }
    for (const ScalarInfo &scalar : info.scalars)
      if (!arguments.scalars.count(scalar.name))
        if (auto error = addScalar(scalar, arguments))
          return error;
    return std::nullopt;
  }

private:
  /// The tensor called `name`, viewed as the options say; `expected` is what the error asks for.
  std::optional<RunError> getView(const std::string &name, const std::string &expected,
                                  TensorView &view) {
    auto option = options.views.find(name);
    bool isViewed = option != options.views.end();
    std::string stored = isViewed ? option->second.stored : name;
    const safetensors::Entry *entry = file.find(stored);
    if (!entry)
      return makeMissingError(name, stored, expected);
    const TensorBuffer *buffer = nullptr;
    if (auto error = load(*entry, buffer))
      return error;
    view = buffer->getView();
    if (!isViewed)
      return std::nullopt;
    view.sizes = option->second.shape;
    view.strides = option->second.strides;
    std::optional<int64_t> span = getSpan(view);
    int64_t elements = span.value_or(0) / getSize(view.type), end = 0;
    if (!span || __builtin_add_overflow(elements, option->second.offset, &end) ||
        end > buffer->getNumElements())
      return RunError{BadInput, quote(name) + ": the view " + printList(view.sizes) +
                                    " with strides " + printList(view.strides) + " at offset " +
                                    std::to_string(option->second.offset) + " leaves " +
                                    quote(stored) + ", which has " +
                                    std::to_string(buffer->getNumElements()) + " elements"};
    view.data = buffer->getData() + option->second.offset * getSize(view.type);
    return std::nullopt;
  }

  RunError makeMissingError(const std::string &name, const std::string &stored,
                            const std::string &expected) {
    std::vector<std::string> names;
    for (const safetensors::Entry &entry : file.getEntries())
      names.push_back(entry.name);
    auto nearest = findNearestName(stored, names);
    return {BadInput, quote(name) + ": expected " + expected + ", but " + options.in +
                          " holds no " + quote(stored) +
                          (nearest ? ", did you mean " + quote(*nearest) + "?" : "")};
  }

  /// Reads the stored tensor, once.
  std::optional<RunError> load(const safetensors::Entry &entry, const TensorBuffer *&buffer) {
    auto [found, isNew] = buffers.try_emplace(entry.name);
    buffer = &found->second;
    if (!isNew)
      return std::nullopt;
    std::optional<ElementType> type = entry.getElementType();
    if (!type)
      return RunError{BadInput, options.in + ": " + quote(entry.name) +
                                    ": expected elements of F32, F16, BF16, I8, U8, I16, I32, I64 "
                                    "or BOOL, got " +
                                    entry.dtype};
    if (auto error = TensorBuffer::allocate(quote(entry.name), *type, entry.shape, found->second))
      return error;
    if (auto error = file.read(entry, buffer->getData()))
      return makeFileError(*error);
    return std::nullopt;
  }

  /// Turns a stored q, k or v into its logical order.
  std::optional<RunError> applyLayout(const std::string &name, TensorView &view) {
    bool isPacked = options.layout == TensorLayout::THD;
    size_t rank = isPacked ? 3 : 4;
    if (view.sizes.size() != rank)
      return RunError{BadInput, quote(name) + ": expected " + std::to_string(rank) + " dimensions" +
                                    (isPacked ? " (`--layout thd`)" : "") + ", got " +
                                    std::to_string(view.sizes.size()) + " of sizes " +
                                    printList(view.sizes)};
    if (isPacked) {
      view.sizes.insert(view.sizes.begin(), 1);
      view.strides.insert(view.strides.begin(), 0);
    }
    if (options.layout != TensorLayout::BHSD) {
      std::swap(view.sizes[1], view.sizes[2]);
      std::swap(view.strides[1], view.strides[2]);
    }
    return std::nullopt;
  }

  /// A 0-d tensor of the scalar's name gives its value.
  std::optional<RunError> addScalar(const ScalarInfo &scalar, LaunchArguments &arguments) {
    if (!file.find(scalar.name) && !options.views.count(scalar.name))
      return std::nullopt;
    TensorView view;
    if (auto error = getView(scalar.name, "a scalar", view))
      return error;
    if (!view.sizes.empty())
      return RunError{BadInput,
                      quote(scalar.name) + ": expected a 0-d tensor for a scalar of type " +
                          getName(scalar.type) + ", got one of sizes " + printList(view.sizes)};
    arguments.scalars[scalar.name] = readScalar(view);
    return std::nullopt;
  }

  static ScalarValue readScalar(const TensorView &view);

  const RunOptions &options;
  safetensors::Reader file;
  std::map<std::string, TensorBuffer> buffers;
};

ScalarValue StoredTensors::readScalar(const TensorView &view) {
  auto as = [&](auto sample) {
    std::memcpy(&sample, view.data, sizeof(sample));
    return sample;
  };
  switch (view.type) {
  case ElementType::F32:
    return static_cast<double>(as(float()));
  case ElementType::F16:
    return static_cast<double>(convertF16ToFloat(as(uint16_t())));
  case ElementType::BF16:
    return static_cast<double>(convertBF16ToFloat(as(uint16_t())));
  case ElementType::I8:
    return static_cast<int64_t>(as(int8_t()));
  case ElementType::U8:
    return static_cast<int64_t>(as(uint8_t()));
  case ElementType::I16:
    return static_cast<int64_t>(as(int16_t()));
  case ElementType::I32:
    return static_cast<int64_t>(as(int32_t()));
  case ElementType::I64:
    return as(int64_t());
  case ElementType::Bool:
    return as(uint8_t()) != 0;
  }
  return false;
}
} // namespace

std::unique_ptr<TensorSource> driver::createStoredTensors(const RunOptions &options) {
  return std::make_unique<StoredTensors>(options);
}
