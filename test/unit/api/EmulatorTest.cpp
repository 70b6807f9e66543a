//===- EmulatorTest.cpp - Tests of the device emulator --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/attnc.hpp"
#include "runtime/package/Package.h"
#include "test/unit/api/GpuProbe.h"
#include <gtest/gtest.h>

using namespace attnc;
using namespace attnc::test;

namespace {
constexpr int64_t queries = 40;

Result<Kernel> load(const Device &device, const std::string &ptx) {
  return Kernel::tryLoad(device, ptx.data(), ptx.size());
}
} // namespace

TEST(EmulatorDevice, LaunchesOnTensorsOfTheCpu) {
  Device device = Device::open("emulator");
  EXPECT_EQ(device.info().dl_device.device_type, kDLCPU);
  EXPECT_EQ(device.info().multiprocessors, 108);
  Kernel kernel = load(device, makeGpuProbe()).take();
  EXPECT_STREQ(kernel.variant(0).arch, "sm_80");
  std::vector<float> q(queries * 4), k(8), v(4), o(queries * 2);
  for (size_t i = 0; i < q.size(); ++i)
    q[i] = static_cast<float>(i);
  Launch launch = kernel.bind(bhsd(q.data(), 1, 1, queries, 4), bhsd(k.data(), 1, 1, 2, 4),
                              bhsd(v.data(), 1, 1, 2, 2), bhsd(o.data(), 1, 1, queries, 2));
  launch.set("cap", 3)();
  for (size_t i = 0; i < o.size(); ++i)
    ASSERT_EQ(o[i], 3 * q[i / 2 * 4]) << i;
  EXPECT_STREQ(launch.tryRun(&o).message(), "`stream`: expected NULL on the device `emulator`");
}

TEST(EmulatorDevice, FaultsOfKernelsAreErrors) {
  Device device = Device::open("emulator");
  std::string ptx = makeGpuProbe();
  ptx.replace(ptx.find("shl.b64 %rd7, %rd4, 3"), 21, "shl.b64 %rd7, %rd4, 9");
  Kernel kernel = load(device, ptx).take();
  std::vector<float> q(queries * 4), k(8), v(4), o(queries * 2);
  Launch launch = kernel.bind(bhsd(q.data(), 1, 1, queries, 4), bhsd(k.data(), 1, 1, 2, 4),
                              bhsd(v.data(), 1, 1, 2, 2), bhsd(o.data(), 1, 1, queries, 2));
  launch.set("cap", 3);
  Result<void> result = launch.tryRun();
  EXPECT_EQ(result.status(), ATTNC_DEVICE_FAILED);
  EXPECT_NE(std::string(result.message()).find("found faults in the kernel `probe_f32_d4`"),
            std::string::npos)
      << result.message();
}

TEST(EmulatorDevice, CodeThatDoesNotFit) {
  Device device = Device::open("emulator");
  EXPECT_STREQ(load(device, "hello").message(),
               "expected PTX, which the emulator runs, got something else");
  EXPECT_STREQ(load(device, makeGpuProbe("sm_90")).message(),
               "the PTX is for sm_90 and later, the GPU has compute capability 8.0");
  std::string ptx = makeGpuProbe();
  std::string bad = std::string(ptx).replace(ptx.find("mul.f32"), 3, "mxl");
  EXPECT_NE(std::string(load(device, bad).message()).find("PTX:"), std::string::npos);
}

// Of a package it takes PTX that an A100 would take.
TEST(EmulatorDevice, Packages) {
  Device device = Device::open("emulator");
  const std::string sm80 = makeGpuProbe("sm_80"), sm90 = makeGpuProbe("sm_90");
  std::vector<PackagedCode> codes = {{"probe", CodeForm::Ptx, "sm_90", "", sm90, ""},
                                     {"probe", CodeForm::Cubin, "sm_80", "", "", ""},
                                     {"probe", CodeForm::Ptx, "sm_80", "", sm80, ""}};
  EXPECT_STREQ(load(device, writePackage(codes)).take().variant(0).arch, "sm_80");
  codes.pop_back();
  EXPECT_NE(std::string(load(device, writePackage(codes)).message())
                .find("the package has PTX for sm_90, a cubin for sm_80"),
            std::string::npos);
}
