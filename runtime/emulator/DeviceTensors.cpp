//===- DeviceTensors.cpp - Tensors of a launch on the device --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/DeviceTensors.h"

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
    : device(device), arguments(info, arguments) {}

DeviceTensors::~DeviceTensors() {
  for (uint64_t buffer : buffers)
    device.release(buffer);
}

bool DeviceTensors::allocateStorage(const LaunchStorage &storage) {
  const std::vector<LaunchTensor> &tensors = arguments.getTensors();
  std::string name;
  for (size_t index : storage.tensors)
    name += (name.empty() ? "" : ", ") + tensors[index].name;
  uint64_t buffer =
      device.allocate(storage.getNumBytes(), std::move(name), storage.getMisalignment());
  if (!buffer)
    return false;
  buffers.push_back(buffer);
  arguments.place(storage, buffer);
  for (size_t index : storage.tensors) {
    const LaunchTensor &tensor = tensors[index];
    uint64_t address = arguments.getAddress(tensor);
    const TensorView &view = tensor.view;
    int64_t size = getSize(view.type);
    if (storage.tensors.size() == 1)
      device.describe(buffer, getName(view.type) + formatSizes(view.sizes),
                      static_cast<unsigned>(size));
    if (tensor.isOutput)
      continue;
    visitRuns(view, [&](Run run) {
      device.copyToDevice(address + run.offset * size,
                          static_cast<const char *>(view.data) + run.offset * size,
                          run.count * size);
      return true;
    });
  }
  return true;
}

bool DeviceTensors::allocate() {
  for (const LaunchStorage &storage : arguments.getStorages())
    if (!allocateStorage(storage))
      return false;
  return true;
}

std::optional<std::string> DeviceTensors::readOutputs(std::vector<uint8_t> &bytes) const {
  bytes.clear();
  std::optional<std::string> error;
  for (const LaunchTensor &tensor : arguments.getTensors()) {
    if (!tensor.isOutput)
      continue;
    size_t first = bytes.size();
    int64_t size = getSize(tensor.view.type);
    visitRuns(tensor.view, [&](Run run) {
      uint64_t address = arguments.getAddress(tensor) + run.offset * size;
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
  for (const LaunchTensor &tensor : arguments.getTensors()) {
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
  for (const LaunchTensor &tensor : arguments.getTensors()) {
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
