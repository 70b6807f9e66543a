//===- DeviceTensors.cpp - Tensors of a launch on the device --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/DeviceTensors.h"
#include "attnc/ArgumentLayout.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace attnc::emu {
namespace {

/// Elements that lie next to each other.
struct Run {
  int64_t offset; ///< of the first, in elements
  int64_t count;
};

/// Calls `visit` with the runs of `view` in logical order until it returns false.
void visitRuns(const TensorView &view, const std::function<bool(Run)> &visit) {
  int64_t count = 1;
  size_t outer = view.sizes.size();
  while (outer > 0 && (view.sizes[outer - 1] == 1 || view.strides[outer - 1] == count))
    count *= view.sizes[--outer];
  std::vector<int64_t> indices(outer, 0);
  if (std::find(view.sizes.begin(), view.sizes.end(), 0) != view.sizes.end())
    return;
  for (;;) {
    int64_t offset = 0;
    for (size_t i = 0; i < outer; ++i)
      offset += indices[i] * view.strides[i];
    if (!visit({offset, count}))
      return;
    size_t dim = outer;
    // Repetitions of the same elements are visited once.
    while (dim > 0 && (++indices[dim - 1] == view.sizes[dim - 1] || view.strides[dim - 1] == 0))
      indices[--dim] = 0;
    if (dim == 0)
      return;
  }
}

std::string formatSizes(const std::vector<int64_t> &sizes) {
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

/// "`o` [0, 1, 2, 3]" of the element that is `element` places from the first in logical order.
std::string formatElement(const std::string &name, const TensorView &view, int64_t element) {
  std::vector<int64_t> indices(view.sizes.size(), 0);
  for (size_t i = indices.size(); i-- > 0; element /= view.sizes[i])
    indices[i] = element % view.sizes[i];
  return "`" + name + "` " + formatSizes(indices);
}

} // namespace

DeviceTensors::DeviceTensors(Device &device, const KernelInfo &info,
                             const BoundArguments &arguments)
    : device(device), slots(arguments.slots) {
  using Layout = ArgumentLayout;
  const BoundArguments &a = arguments;
  struct Main {
    const char *name;
    int64_t slot;
    ElementType type;
    std::vector<int64_t> sizes;
  };
  std::vector<Main> mains = {{"q", Layout::QTensor, info.dtype, {a.B, a.Hq, a.Q, info.headDim}},
                             {"k", Layout::KTensor, info.dtype, {a.B, a.Hkv, a.KV, info.headDim}},
                             {"v", Layout::VTensor, info.dtype, {a.B, a.Hkv, a.KV, info.valueDim}},
                             {"o", Layout::OTensor, info.dtype, {a.B, a.Hq, a.Q, info.valueDim}}};
  if (info.lse)
    mains.push_back({"lse", Layout::LseTensor, ElementType::F32, {a.B, a.Hq, a.Q}});
  for (const Main &main : mains) {
    std::vector<int64_t> strides = {slots[main.slot + Layout::BatchStride],
                                    slots[main.slot + Layout::HeadStride],
                                    slots[main.slot + Layout::RowStride]};
    strides.resize(main.sizes.size(), 1);
    bool isOutput = main.slot == Layout::OTensor || main.slot == Layout::LseTensor;
    addTensor(main.name, main.slot, main.type, main.sizes, std::move(strides), isOutput);
  }
  Layout layout(info);
  for (size_t c = 0; c < info.captures.size(); ++c) {
    int64_t capture = static_cast<int64_t>(c);
    std::vector<int64_t> sizes, strides;
    for (int64_t i = 0; i < static_cast<int64_t>(info.captures[c].shape.size()); ++i) {
      sizes.push_back(slots[layout.getCaptureSize(capture, i)]);
      strides.push_back(slots[layout.getCaptureStride(capture, i)]);
    }
    addTensor(info.captures[c].name, layout.getCapturePointer(capture), info.captures[c].type,
              std::move(sizes), std::move(strides), /*isOutput=*/false);
  }
}

DeviceTensors::~DeviceTensors() {
  for (uint64_t buffer : buffers)
    device.release(buffer);
}

void DeviceTensors::addTensor(std::string name, int64_t slot, ElementType type,
                              std::vector<int64_t> sizes, std::vector<int64_t> strides,
                              bool isOutput) {
  TensorView view{reinterpret_cast<void *>(slots[slot]), type, std::move(sizes),
                  std::move(strides)};
  // A tensor without elements has no buffer, and its pointer must not be used.
  if (*getSpan(view) == 0)
    slots[slot] = 0;
  else
    tensors.push_back({std::move(name), slot, std::move(view), isOutput});
}

bool DeviceTensors::allocateStorage(const std::vector<Tensor *> &sharers, uint64_t begin,
                                    uint64_t end) {
  // What an address is a multiple of decides how many bytes an access can take.
  constexpr uint64_t widestAccess = 16;
  std::string name;
  for (const Tensor *tensor : sharers)
    name += (name.empty() ? "" : ", ") + tensor->name;
  uint64_t buffer = device.allocate(end - begin, std::move(name), begin % widestAccess);
  if (!buffer)
    return false;
  buffers.push_back(buffer);
  for (Tensor *tensor : sharers) {
    tensor->address = buffer + (tensor->getBegin() - begin);
    slots[tensor->slot] = static_cast<int64_t>(tensor->address);
    const TensorView &view = tensor->view;
    int64_t size = getSize(view.type);
    if (sharers.size() == 1)
      device.describe(buffer, getName(view.type) + formatSizes(view.sizes),
                      static_cast<unsigned>(size));
    if (tensor->isOutput)
      continue;
    visitRuns(view, [&](Run run) {
      device.copyToDevice(tensor->address + run.offset * size,
                          static_cast<const char *>(view.data) + run.offset * size,
                          run.count * size);
      return true;
    });
  }
  return true;
}

bool DeviceTensors::allocate() {
  std::vector<Tensor *> sorted;
  for (Tensor &tensor : tensors)
    sorted.push_back(&tensor);
  // Of tensors that begin at one place the first one given comes first.
  std::sort(sorted.begin(), sorted.end(), [](const Tensor *a, const Tensor *b) {
    return std::pair(a->getBegin(), a) < std::pair(b->getBegin(), b);
  });
  for (size_t first = 0; first < sorted.size();) {
    uint64_t end = 0;
    size_t last = first;
    for (; last < sorted.size() && (last == first || sorted[last]->getBegin() < end); ++last)
      end = std::max(end, sorted[last]->getBegin() + *getSpan(sorted[last]->view));
    if (!allocateStorage({sorted.begin() + static_cast<std::ptrdiff_t>(first),
                          sorted.begin() + static_cast<std::ptrdiff_t>(last)},
                         sorted[first]->getBegin(), end))
      return false;
    first = last;
  }
  return true;
}

std::optional<std::string> DeviceTensors::readOutputs(std::vector<uint8_t> &bytes) const {
  bytes.clear();
  std::optional<std::string> error;
  for (const Tensor &tensor : tensors) {
    if (!tensor.isOutput)
      continue;
    size_t first = bytes.size();
    int64_t size = getSize(tensor.view.type);
    visitRuns(tensor.view, [&](Run run) {
      uint64_t address = tensor.address + run.offset * size;
      size_t place = bytes.size();
      bytes.resize(place + run.count * size);
      device.copyToHost(bytes.data() + place, address, run.count * size);
      if (device.isWritten(address, run.count * size))
        return true;
      int64_t element = 0;
      while (device.isWritten(address + element * size, size))
        ++element;
      error = formatElement(tensor.name, tensor.view,
                            static_cast<int64_t>(place - first) / size + element) +
              " was not written";
      return false;
    });
    if (error)
      return error;
  }
  return std::nullopt;
}

void DeviceTensors::writeBack(const std::vector<uint8_t> &bytes) const {
  const uint8_t *next = bytes.data();
  for (const Tensor &tensor : tensors) {
    if (!tensor.isOutput)
      continue;
    int64_t size = getSize(tensor.view.type);
    visitRuns(tensor.view, [&](Run run) {
      std::memcpy(static_cast<char *>(tensor.view.data) + run.offset * size, next,
                  run.count * size);
      next += run.count * size;
      return true;
    });
  }
}

std::string DeviceTensors::nameElement(size_t place) const {
  for (const Tensor &tensor : tensors) {
    if (!tensor.isOutput)
      continue;
    size_t bytes = static_cast<size_t>(getNumBytes(tensor.view));
    if (place < bytes)
      return formatElement(tensor.name, tensor.view,
                           static_cast<int64_t>(place) / getSize(tensor.view.type));
    place -= bytes;
  }
  return "";
}

} // namespace attnc::emu
