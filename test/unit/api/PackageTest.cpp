//===- PackageTest.cpp - Tests of packages on the host --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/package/Package.h"
#include "attnc/CpuFeatures.h"
#include "test/unit/api/Probe.h"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace attnc;
using namespace attnc::test;

namespace {
/// The probe with another scale, by which it is known.
std::string makeImage(const char *scale) {
  std::string image = getProbe();
  return image.replace(image.find("\"scale\":0.5"), 11, std::string("\"scale\":") + scale);
}

class ApiPackage : public testing::Test {
protected:
  std::string v1 = makeImage("0.1"), v2 = makeImage("0.2"), v9 = makeImage("0.9");
  std::vector<PackagedCode> codes = {
      {"gemma2", CodeForm::HostImage, "x86-64", "", v1, ""},
      {"gemma2", CodeForm::HostImage, "future", "sse3,never-heard-of", v9, ""},
      {"gemma2", CodeForm::HostImage, "x86-64-v2", "sse3,ssse3", v2, ""},
      {"gemma2", CodeForm::Ptx, "sm_80", "", ".version", ""}};
  Device device = Device::host(1);

  Result<Kernel> tryLoad() const {
    std::string bytes = writePackage(codes);
    return Kernel::tryLoad(device, bytes.data(), bytes.size());
  }

  /// The scale of the kernel for head dim 8 of the package.
  float loadScale() const {
    Kernel kernel = tryLoad().take();
    size_t index = kernel.variant(0).head_dim == 8 ? 0 : 1;
    return kernel.variant(index).scale;
  }
};
} // namespace

// Of what this CPU has all of, the code that needs most, in whichever order.
TEST_F(ApiPackage, TheNearestCodeIsTaken) {
  bool hasV2 = hasCpuFeature("sse3") && hasCpuFeature("ssse3");
  EXPECT_EQ(loadScale(), hasV2 ? 0.2f : 0.1f);
  std::swap(codes[0], codes[2]);
  EXPECT_EQ(loadScale(), hasV2 ? 0.2f : 0.1f);
  codes.erase(codes.begin());
  EXPECT_EQ(loadScale(), 0.1f);
}

TEST_F(ApiPackage, ItsKernelsRun) {
  Probe probe;
  Kernel kernel = tryLoad().take();
  probe.bind(kernel)();
  EXPECT_TRUE(probe.isRight());
}

TEST_F(ApiPackage, WithoutCodeForTheDeviceItSaysWhatIsThere) {
  codes.erase(codes.begin());
  codes.erase(codes.begin() + 1);
  Result<Kernel> result = tryLoad();
  EXPECT_EQ(result.status(), ATTNC_INVALID_KERNEL);
  EXPECT_STREQ(result.message(),
               "nothing of `gemma2` is for the device `host` (CPU, 1 threads): the package has "
               "a host image for future, PTX for sm_80");
}

TEST_F(ApiPackage, ImagesOfOtherMachinesAreNotForThisOne) {
  std::string other = v1;
  other[18] = 21; // EM_PPC64
  codes[0].bytes = codes[2].bytes = other;
  EXPECT_EQ(tryLoad().status(), ATTNC_INVALID_KERNEL);
}

TEST_F(ApiPackage, DamagedCodeIsNotRun) {
  std::string bytes = writePackage(codes);
  for (size_t place = 0; (place = bytes.find("\"scale\":0.", place)) != std::string::npos; ++place)
    bytes[place + 10] = '7';
  Result<Kernel> result = Kernel::tryLoad(device, bytes.data(), bytes.size());
  EXPECT_EQ(result.status(), ATTNC_INVALID_KERNEL);
  EXPECT_NE(std::string(result.message()).find("is damaged: its checksum differs"),
            std::string::npos);
  bytes = writePackage(codes).substr(0, 1000);
  EXPECT_EQ(Kernel::tryLoad(device, bytes.data(), bytes.size()).status(), ATTNC_INVALID_KERNEL);
}

TEST_F(ApiPackage, ProgramsOfAFile) {
  codes.push_back({"alibi", CodeForm::HostImage, "x86-64", "", v9, ""});
  std::string path = testing::TempDir() + "attnc-" + std::to_string(getpid()) + ".attnpkg";
  std::string bytes = writePackage(codes);
  std::ofstream(path, std::ios::binary) << bytes;
  const std::string prefix = path + ": ";
  EXPECT_EQ(Kernel::tryLoadFile(device, path.c_str()).message(),
            prefix +
                "expected the name of one program of the package, which has `gemma2`, `alibi`");
  Kernel kernel = Kernel::loadProgram(device, path.c_str(), "alibi");
  EXPECT_EQ(kernel.variant(kernel.variant(0).head_dim == 8 ? 0 : 1).scale, 0.9f);
  Result<Kernel> result = Kernel::tryLoadProgram(device, path.c_str(), "gemma");
  EXPECT_EQ(result.status(), ATTNC_INVALID_ARGUMENT);
  EXPECT_EQ(result.message(),
            prefix +
                "`program`: expected one of the package, which has `gemma2`, `alibi`, got `gemma`");
  EXPECT_STREQ(Kernel::tryLoadProgram(device, path.c_str(), nullptr).message(),
               "`program`: expected a pointer, got NULL");
  EXPECT_EQ(Kernel::tryLoadProgram(device, ATTNC_PROBE, "gemma2").message(),
            std::string(ATTNC_PROBE) +
                ": `program`: expected NULL for a file that is no package, got `gemma2`");
  std::remove(path.c_str());
}
