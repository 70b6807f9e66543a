//===- DeviceListTest.cpp - Tests of names of devices -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/DeviceList.h"
#include <gtest/gtest.h>

using namespace attnc;

TEST(DeviceList, Splits) {
  using List = std::vector<std::string_view>;
  EXPECT_EQ(splitDeviceList("host"), List({"host"}));
  EXPECT_EQ(splitDeviceList("cuda:1,cuda,host"), List({"cuda:1", "cuda", "host"}));
  EXPECT_EQ(splitDeviceList("auto"), List({"cuda", "host"}));
  // An empty name is none that a device has.
  EXPECT_EQ(splitDeviceList("host,"), List({"host", ""}));
  EXPECT_EQ(splitDeviceList(""), List({""}));
}

TEST(DeviceList, GpuNames) {
  EXPECT_EQ(parseGpuName("cuda"), 0);
  EXPECT_EQ(parseGpuName("cuda:0"), 0);
  EXPECT_EQ(parseGpuName("cuda:12"), 12);
  for (const char *name :
       {"", "host", "cuda:", "cuda:x", "cuda:-1", "cuda1", "cuda:1x", "cuda:99999999999", "cud"})
    EXPECT_EQ(parseGpuName(name), std::nullopt) << name;
}
