//===- LaunchTensorsTest.cpp - Tests of where tensors lie -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/LaunchTensors.h"
#include "attnc/ArgumentLayout.h"
#include <gtest/gtest.h>

using namespace attnc;

static LaunchTensor makeTensor(const char *name, char *data, int64_t count) {
  return {name, 0, {data, ElementType::U8, {count}, {1}}, false};
}

static std::vector<std::vector<size_t>> getSharers(const std::vector<LaunchTensor> &tensors) {
  std::vector<std::vector<size_t>> sharers;
  for (const LaunchStorage &storage : getLaunchStorages(tensors))
    sharers.push_back(storage.tensors);
  return sharers;
}

TEST(LaunchTensors, SharesStorageWhereBytesOverlap) {
  char memory[64];
  std::vector<LaunchTensor> tensors = {
      makeTensor("a", memory + 20, 8), makeTensor("b", memory, 16), makeTensor("c", memory + 12, 4),
      makeTensor("none", memory + 30, 0), makeTensor("d", memory + 27, 2)};
  EXPECT_EQ(getSharers(tensors), (std::vector<std::vector<size_t>>{{1, 2}, {0, 4}}));
  std::vector<LaunchStorage> storages = getLaunchStorages(tensors);
  EXPECT_EQ(storages[0].begin, reinterpret_cast<uintptr_t>(memory));
  EXPECT_EQ(storages[0].end - storages[0].begin, 16u);
  EXPECT_EQ(storages[1].end - storages[1].begin, 9u);
  // What only touches is apart.
  EXPECT_EQ(getSharers({makeTensor("a", memory, 8), makeTensor("b", memory + 8, 8)}).size(), 2u);
  // The same bytes, in the order given.
  EXPECT_EQ(getSharers({makeTensor("k", memory, 8), makeTensor("v", memory, 8)}),
            (std::vector<std::vector<size_t>>{{0, 1}}));
}

TEST(LaunchTensors, ListsTheTensorsOfALaunch) {
  KernelInfo info;
  info.dtype = ElementType::BF16;
  info.headDim = 8;
  info.valueDim = 4;
  info.lse = true;
  info.captures = {{"t", ElementType::I32, {SizeExpr::symbol("KV")}}};
  BoundArguments arguments;
  arguments.B = 1, arguments.Hq = 2, arguments.Hkv = 1, arguments.Q = 3, arguments.KV = 5;
  ArgumentLayout layout(info);
  arguments.slots.resize(layout.getNumSlots());
  arguments.slots[ArgumentLayout::VTensor + ArgumentLayout::RowStride] = 6;
  arguments.slots[layout.getCapturePointer(0)] = 4096;
  arguments.slots[layout.getCaptureSize(0, 0)] = 5;
  std::string names;
  std::vector<LaunchTensor> tensors = getLaunchTensors(info, arguments);
  for (const LaunchTensor &tensor : tensors)
    names += tensor.name + (tensor.isOutput ? "! " : " ");
  EXPECT_EQ(names, "q k v o! lse! t ");
  EXPECT_EQ(tensors[2].view.sizes, (std::vector<int64_t>{1, 1, 5, 4}));
  EXPECT_EQ(tensors[2].view.strides, (std::vector<int64_t>{0, 0, 6, 1}));
  EXPECT_EQ(tensors[4].view.type, ElementType::F32);
  EXPECT_EQ(tensors[5].slot, layout.getCapturePointer(0));
  EXPECT_EQ(tensors[5].getBegin(), 4096u);
}

TEST(LaunchTensors, PlacesStoragesOnADevice) {
  alignas(16) char memory[64];
  KernelInfo info;
  info.dtype = ElementType::F32;
  info.headDim = info.valueDim = 1;
  BoundArguments arguments;
  arguments.B = arguments.Hq = arguments.Hkv = 1, arguments.Q = 2, arguments.KV = 0;
  arguments.slots.resize(ArgumentLayout(info).getNumSlots());
  auto setTensor = [&](int64_t slot, char *data) {
    arguments.slots[slot] = static_cast<int64_t>(reinterpret_cast<uintptr_t>(data));
    arguments.slots[slot + ArgumentLayout::RowStride] = 1;
  };
  // o begins with the second row of q; k and v are empty.
  setTensor(ArgumentLayout::QTensor, memory + 20);
  setTensor(ArgumentLayout::OTensor, memory + 24);
  setTensor(ArgumentLayout::KTensor, memory + 40);
  setTensor(ArgumentLayout::VTensor, memory + 40);

  DeviceArguments device(info, arguments);
  ASSERT_EQ(device.getStorages().size(), 1u);
  const LaunchStorage &storage = device.getStorages().front();
  EXPECT_EQ(storage.getNumBytes(), 12u);
  EXPECT_EQ(storage.getMisalignment(), 4u);
  device.place(storage, 4096 + storage.getMisalignment());
  const std::vector<int64_t> &slots = device.getSlots();
  EXPECT_EQ(slots[ArgumentLayout::QTensor], 4100);
  EXPECT_EQ(slots[ArgumentLayout::OTensor], 4104);
  EXPECT_EQ(slots[ArgumentLayout::KTensor], 0);
  EXPECT_EQ(slots[ArgumentLayout::VTensor], 0);
  EXPECT_EQ(device.getAddress(device.getTensors()[3]), 4104u);
  // The rest is as bound.
  EXPECT_EQ(slots[ArgumentLayout::QTensor + ArgumentLayout::RowStride], 1);
}
