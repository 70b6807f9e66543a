//===- LaunchTensors.cpp - Tensors of a launch, and where they lie ----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/LaunchTensors.h"
#include "attnc/ArgumentLayout.h"
#include <algorithm>
#include <numeric>

using namespace attnc;

std::vector<LaunchTensor> attnc::getLaunchTensors(const KernelInfo &info,
                                                  const BoundArguments &arguments) {
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
  std::vector<LaunchTensor> tensors;
  auto addTensor = [&](std::string name, int64_t slot, ElementType type, std::vector<int64_t> sizes,
                       std::vector<int64_t> strides, bool isOutput) {
    TensorView view{reinterpret_cast<void *>(a.slots[slot]), type, std::move(sizes),
                    std::move(strides)};
    tensors.push_back({std::move(name), slot, std::move(view), isOutput});
  };
  for (const Main &main : mains) {
    std::vector<int64_t> strides = {a.slots[main.slot + Layout::BatchStride],
                                    a.slots[main.slot + Layout::HeadStride],
                                    a.slots[main.slot + Layout::RowStride]};
    strides.resize(main.sizes.size(), 1);
    bool isOutput = main.slot == Layout::OTensor || main.slot == Layout::LseTensor;
    addTensor(main.name, main.slot, main.type, main.sizes, std::move(strides), isOutput);
  }
  Layout layout(info);
  for (size_t c = 0; c < info.captures.size(); ++c) {
    int64_t capture = static_cast<int64_t>(c);
    std::vector<int64_t> sizes, strides;
    for (int64_t i = 0; i < static_cast<int64_t>(info.captures[c].shape.size()); ++i) {
      sizes.push_back(a.slots[layout.getCaptureSize(capture, i)]);
      strides.push_back(a.slots[layout.getCaptureStride(capture, i)]);
    }
    addTensor(info.captures[c].name, layout.getCapturePointer(capture), info.captures[c].type,
              std::move(sizes), std::move(strides), /*isOutput=*/false);
  }
  return tensors;
}

std::vector<LaunchStorage> attnc::getLaunchStorages(const std::vector<LaunchTensor> &tensors) {
  std::vector<size_t> sorted(tensors.size());
  std::iota(sorted.begin(), sorted.end(), size_t(0));
  std::sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) {
    return std::pair(tensors[a].getBegin(), a) < std::pair(tensors[b].getBegin(), b);
  });
  std::vector<LaunchStorage> storages;
  for (size_t index : sorted) {
    uint64_t begin = tensors[index].getBegin();
    uint64_t end = begin + static_cast<uint64_t>(*getSpan(tensors[index].view));
    if (begin == end)
      continue;
    if (storages.empty() || begin >= storages.back().end)
      storages.push_back({begin, begin, {}});
    storages.back().end = std::max(storages.back().end, end);
    storages.back().tensors.push_back(index);
  }
  return storages;
}

DeviceArguments::DeviceArguments(const KernelInfo &info, const BoundArguments &arguments)
    : tensors(getLaunchTensors(info, arguments)), storages(getLaunchStorages(tensors)),
      slots(arguments.slots) {
  for (const LaunchTensor &tensor : tensors)
    slots[tensor.slot] = 0;
}

void DeviceArguments::place(const LaunchStorage &storage, uint64_t address) {
  for (size_t index : storage.tensors)
    slots[tensors[index].slot] =
        static_cast<int64_t>(address + (tensors[index].getBegin() - storage.begin));
}
