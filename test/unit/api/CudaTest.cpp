//===- CudaTest.cpp - Tests of the device cuda on the fake driver ---------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/package/Package.h"
#include "test/unit/api/FakeGpu.h"
#include "test/unit/api/GpuProbe.h"
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using namespace attnc;
using namespace attnc::test;

namespace {
constexpr int64_t queries = 40;

class Cuda : public testing::Test {
protected:
  FakeGpu gpu;
  std::vector<float> q = std::vector<float>(queries * 4), k = std::vector<float>(8),
                     v = std::vector<float>(4), o = std::vector<float>(queries * 2);

  Cuda() {
    for (size_t i = 0; i < q.size(); ++i)
      q[i] = static_cast<float>(i);
  }

  /// A launch on device memory.
  Launch bind(const Kernel &kernel, float *&out, int index = 0) {
    out = gpu.upload(o);
    Launch launch = kernel.bind(bhsd(gpu.upload(q), 1, 1, queries, 4).onGpu(index),
                                bhsd(gpu.upload(k), 1, 1, 2, 4).onGpu(index),
                                bhsd(gpu.upload(v), 1, 1, 2, 2).onGpu(index),
                                bhsd(out, 1, 1, queries, 2).onGpu(index));
    launch.set("cap", 3);
    return launch;
  }

  void expectRight(const float *out) {
    gpu.download(out, o);
    for (size_t i = 0; i < o.size(); ++i)
      ASSERT_EQ(o[i], 3 * q[i / 2 * 4]) << i;
  }
};

Kernel load(const Device &device) {
  std::string ptx = makeGpuProbe();
  return Kernel::load(device, ptx.data(), ptx.size());
}

/// The message of loading `bytes`, with its status.
std::string tryLoad(const Device &device, const std::string &bytes) {
  Result<Kernel> result = Kernel::tryLoad(device, bytes.data(), bytes.size());
  return std::string(attnc_status_name(result.status())) + ": " + result.message();
}
} // namespace

TEST_F(Cuda, LaunchesOnTensorsOfTheGpu) {
  Device device = Device::open("cuda");
  EXPECT_EQ(device.info().dl_device.device_type, kDLCUDA);
  EXPECT_GT(device.info().multiprocessors, 0);
  EXPECT_GE(device.info().major, 8);
  if (gpu.isFake()) {
    EXPECT_STREQ(device.info().description, "Emulated GPU, compute capability 8.0");
    EXPECT_EQ(device.info().multiprocessors, 108);
  }
  Kernel kernel = load(device);
  EXPECT_STREQ(kernel.variant(0).arch, "sm_80");
  float *out = nullptr;
  Launch launch = bind(kernel, out);
  launch();
  expectRight(out);
  if (!gpu.isFake())
    return;
  EXPECT_EQ(gpu.getLog().substr(gpu.getLog().find("cuLaunch")),
            "cuLaunchKernel probe_f32_d4: grid 2 1 1, block 32 1 1, shared 0, parameters 216\n");
  // On a stream of the caller.
  int stream = 0;
  launch(&stream);
  EXPECT_NE(gpu.getLog().find("parameters 216, a stream\n"), std::string::npos);
}

// What is given back to the driver: all of it.
TEST_F(Cuda, LeavesNothing) {
  ATTNC_NEEDS_FAKE(gpu);
  {
    Kernel kernel = load(Device::open("cuda"));
    float *out = nullptr;
    bind(kernel, out)();
  }
  EXPECT_NE(gpu.getLog().find("and 0 modules are left"), std::string::npos) << gpu.getLog();
}

// From any thread, and without leaving a context there.
TEST_F(Cuda, ThreadsNeedNoContext) {
  Device device = Device::open("cuda");
  Kernel kernel = load(device);
  float *out = nullptr;
  Launch launch = bind(kernel, out);
  std::thread([&] { launch(); }).join();
  expectRight(out);
}

TEST_F(Cuda, SeveralGpus) {
  ATTNC_NEEDS_FAKE(gpu);
  gpu.set("FAKE_CUDA_DEVICES", "2");
  Device second = Device::open("cuda:1");
  EXPECT_STREQ(second.info().name, "cuda:1");
  EXPECT_EQ(second.info().dl_device.device_id, 1);
  Kernel kernel = load(second);
  float *out = nullptr;
  bind(kernel, out, 1)();
  EXPECT_NE(gpu.getLog().find("parameters 216, device 1\n"), std::string::npos);
  float *other = nullptr;
  try {
    bind(kernel, other, 0);
    FAIL() << "expected an error";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "`q`: expected memory of the GPU 1 (device type 2 of DLPack), got "
                               "device 0 of type 2");
  }
}

TEST_F(Cuda, DevicesThatAreNotThere) {
  ATTNC_NEEDS_FAKE(gpu);
  auto open = [](const char *name) {
    Result<Device> result = Device::tryOpen(name);
    return std::string(attnc_status_name(result.status())) + ": " + result.message();
  };
  EXPECT_EQ(open("cuda:1"), "ATTNC_UNAVAILABLE: `cuda:1`: expected a GPU from 0 to 0, got 1");
  for (const char *name : {"cuda:", "cuda:x", "cuda:-1", "cuda1", "cuda:1x"})
    EXPECT_EQ(open(name), "ATTNC_INVALID_ARGUMENT: expected `cuda` or `cuda:N`, got `" +
                              std::string(name) + "`");
  gpu.set("FAKE_CUDA_DEVICES", "0");
  EXPECT_EQ(open("cuda"), "ATTNC_UNAVAILABLE: `cuda`: the driver has no device");
}

// The first device of a list that is there, with the reasons against those before it.
TEST_F(Cuda, ListsOfDevices) {
  ATTNC_NEEDS_FAKE(gpu);
  EXPECT_STREQ(Device::open("auto").info().name, "cuda");
  EXPECT_STREQ(Device::open("auto").info().passed_over, "");
  EXPECT_STREQ(Device::open("host,cuda").info().name, "host");
  gpu.set("FAKE_CUDA_DEVICES", "0");
  Device device = Device::open("auto");
  EXPECT_STREQ(device.info().name, "host");
  EXPECT_STREQ(device.info().passed_over, "`cuda`: the driver has no device");
  EXPECT_STREQ(Device::tryOpen("cuda:1,cuda").message(),
               "none of `cuda:1,cuda` is there:\n`cuda:1`: the driver has no device\n"
               "`cuda`: the driver has no device");
  EXPECT_EQ(Device::tryOpen("cuda:1,cuda").status(), ATTNC_UNAVAILABLE);
  // What is wrong is not taken for what is missing, nor a GPU that fails for one that is not there.
  EXPECT_STREQ(Device::tryOpen("cuda,hosts").message(),
               "expected a device of host, cuda, cuda:N, emulator or auto, got `hosts`");
  gpu.set("FAKE_CUDA_DEVICES", "1");
  gpu.failNext("cuDeviceGet", 719);
  EXPECT_EQ(Device::tryOpen("auto").status(), ATTNC_DEVICE_FAILED);
  gpu.set("FAKE_CUDA_FAIL", "");
  // One that no kernel is made for is as good as missing.
  gpu.set("FAKE_CUDA_CAPABILITY", "7.5");
  const std::string old = "`cuda`: expected a GPU of compute capability 8.0 or later, got 7.5";
  EXPECT_EQ(Device::tryOpen("cuda").message(), old);
  EXPECT_STREQ(Device::open("auto").info().name, "host");
  EXPECT_EQ(Device::open("auto").info().passed_over, old);
}

TEST_F(Cuda, WrongArguments) {
  Kernel kernel = load(Device::open("cuda"));
  float *out = nullptr;
  Launch launch = bind(kernel, out);
  EXPECT_STREQ(launch.trySet("q", bhsd(q.data(), 1, 1, queries, 4)).message(),
               "`q`: expected memory of the GPU 0 (device type 2 of DLPack), got device 0 of type "
               "1");
  // A number that DLPack has no name for.
  Tensor tensor = bhsd(q.data(), 1, 1, queries, 4);
  DLTensor view = tensor.get();
  const int32_t unknown = 1000;
  std::memcpy(&view.device.device_type, &unknown, sizeof unknown);
  EXPECT_STREQ(launch.trySet("q", view).message(),
               "`q`: expected memory of the GPU 0 (device type 2 of DLPack), got device 0 of type "
               "1000");
  launch.prepare();
  EXPECT_STREQ(launch.tryRunPart(0, 1).message(),
               "parts of launches run on the device `host` alone");
}

// The driver's compiler says what it does not like.
TEST_F(Cuda, CodeThatTheDriverRefuses) {
  Device device = Device::open("cuda");
  const std::string refused = "ATTNC_INVALID_KERNEL: cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (a "
                              "PTX JIT compilation failed): ";
  std::string bad = makeGpuProbe();
  bad.replace(bad.find("mul.f32"), 3, "mxl");
  EXPECT_EQ(tryLoad(device, bad).substr(0, refused.size()), refused);
  EXPECT_NE(tryLoad(device, bad).find("; the driver is for CUDA "), std::string::npos);
}

TEST_F(Cuda, CodeThatDoesNotFit) {
  ATTNC_NEEDS_FAKE(gpu);
  Device device = Device::open("cuda");
  const std::string prefix = "ATTNC_INVALID_KERNEL: ";
  EXPECT_EQ(tryLoad(device, "hello"), prefix + "expected PTX or a cubin, got something else");
  EXPECT_EQ(tryLoad(device, ".version 7.0\n"),
            prefix + "expected kernels made by attnc, found no metadata");
  EXPECT_EQ(tryLoad(device, makeGpuProbe("sm_90")),
            prefix + "the PTX is for sm_90 and later, the GPU has compute capability 8.0");
  EXPECT_EQ(tryLoad(device, makeGpuProbe("sm_90a")),
            prefix + "the PTX is for sm_90a alone, the GPU has compute capability 8.0");
  EXPECT_EQ(tryLoad(device, makeGpuProbe("gfx90")),
            prefix + "the code is for `gfx90`, which this version does not know");
  gpu.set("FAKE_CUDA_CAPABILITY", "9.0");
  Device newer = Device::open("cuda");
  EXPECT_EQ(tryLoad(newer, makeGpuProbe("sm_90a")), "ATTNC_OK: ");
  EXPECT_EQ(tryLoad(newer, makeGpuProbe("sm_80")), "ATTNC_OK: ");
  std::string ptx = makeGpuProbe();
  size_t place = ptx.find("{123, ");
  EXPECT_EQ(tryLoad(device, std::string(ptx).replace(place, 6, "{999, ")),
            prefix + "`probe_f32_d4_metadata` does not hold bytes");
  EXPECT_EQ(tryLoad(device, std::string(ptx).replace(place, 6, "{91, ")),
            prefix + "`probe_f32_d4_metadata`: expected JSON");
  std::string nameless = std::string(ptx).replace(ptx.find("entry probe"), 11, "entry other");
  EXPECT_EQ(tryLoad(device, nameless),
            prefix + "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (named symbol not found)");
}

// The newest architecture of a package that the GPU runs, and of one architecture machine code.
TEST_F(Cuda, PackagesHaveCodeForSeveralGpus) {
  ATTNC_NEEDS_FAKE(gpu);
  const std::string sm80 = makeGpuProbe("sm_80"), sm86 = makeGpuProbe("sm_86"),
                    sm90 = makeGpuProbe("sm_90"), sm90a = makeGpuProbe("sm_90a");
  std::vector<PackagedCode> codes = {{"probe", CodeForm::Ptx, "sm_90a", "", sm90a, ""},
                                     {"probe", CodeForm::Ptx, "sm_90", "", sm90, ""},
                                     {"probe", CodeForm::Ptx, "sm_80", "", sm80, ""},
                                     {"probe", CodeForm::Ptx, "sm_86", "", sm86, ""},
                                     {"probe", CodeForm::HostImage, "x86-64", "", "", ""}};
  std::string package = writePackage(codes);
  auto getArch = [&](const char *capability) {
    gpu.set("FAKE_CUDA_CAPABILITY", capability);
    Kernel kernel = Kernel::load(Device::open("cuda"), package.data(), package.size());
    return std::string(kernel.variant(0).arch);
  };
  EXPECT_EQ(getArch("8.0"), "sm_80");
  EXPECT_EQ(getArch("8.6"), "sm_86");
  EXPECT_EQ(getArch("8.9"), "sm_86");
  EXPECT_EQ(getArch("9.0"), "sm_90a");
  EXPECT_EQ(getArch("12.0"), "sm_90");
  gpu.set("FAKE_CUDA_CAPABILITY", "8.0");
  Device device = Device::open("cuda");
  Kernel kernel = Kernel::load(device, package.data(), package.size());
  float *out = nullptr;
  Launch launch = bind(kernel, out);
  launch();
  expectRight(out);
  // A cubin of the same architecture comes before PTX: here it is none, which is said.
  codes.push_back({"probe", CodeForm::Cubin, "sm_80", "", "none", ""});
  EXPECT_EQ(tryLoad(device, writePackage(codes)),
            "ATTNC_INVALID_KERNEL: expected PTX or a cubin, got something else");
  gpu.set("FAKE_CUDA_CAPABILITY", "9.0");
  package = writePackage(codes);
  EXPECT_EQ(getArch("9.0"), "sm_90a");
  codes.erase(codes.begin() + 2, codes.begin() + 4);
  codes.back() = {"probe", CodeForm::Cubin, "sm_90", "", "none", ""};
  gpu.set("FAKE_CUDA_CAPABILITY", "8.6");
  EXPECT_EQ(tryLoad(Device::open("cuda"), writePackage(codes)),
            "ATTNC_INVALID_KERNEL: nothing of `probe` is for the device `cuda` (" +
                std::string(Device::open("cuda").info().description) +
                "): the package has PTX for sm_90a, PTX for sm_90, a host image for x86-64, a "
                "cubin for sm_90");
}

namespace {
struct Failing {
  int code;
  attnc_status_t status;
  const char *words;
};
constexpr Failing failings[] = {
    {1, ATTNC_DEVICE_FAILED, "CUDA_ERROR_INVALID_VALUE (invalid argument)"},
    {2, ATTNC_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"},
    {201, ATTNC_DEVICE_FAILED, "CUDA_ERROR_INVALID_CONTEXT (invalid device context)"},
    {209, ATTNC_INVALID_KERNEL,
     "CUDA_ERROR_NO_BINARY_FOR_GPU (no kernel image is available for execution on the device)"},
    {218, ATTNC_INVALID_KERNEL, "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)"},
    {221, ATTNC_UNAVAILABLE,
     "CUDA_ERROR_JIT_COMPILER_NOT_FOUND (PTX JIT compiler library not found)"},
    {222, ATTNC_INVALID_KERNEL,
     "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (the provided PTX was compiled with an unsupported "
     "toolchain.)"},
    {719, ATTNC_DEVICE_FAILED, "CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)"},
    {803, ATTNC_UNAVAILABLE,
     "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (system has unsupported display driver / cuda driver "
     "combination)"},
    {12345, ATTNC_DEVICE_FAILED, "error 12345"},
};
} // namespace

// Every call of the driver can fail in every way: the message has the call and the driver's words,
// and after it all works again.
TEST_F(Cuda, EveryCallCanFail) {
  ATTNC_NEEDS_FAKE(gpu);
  for (const Failing &failing : failings) {
    auto expect = [&](const char *function, attnc_status_t status, const std::string &message) {
      gpu.set("FAKE_CUDA_FAIL", "");
      FakeGpu recovered;
      EXPECT_EQ(status, failing.status) << function << ": " << message;
      std::string expected = std::string(function) + ": " + failing.words;
      EXPECT_EQ(message.substr(0, expected.size()), expected);
    };
    auto fails = [&](const char *function, auto call) {
      gpu.failNext(function, failing.code);
      auto result = call();
      EXPECT_FALSE(result) << function;
      expect(function, result.status(), result.message());
    };
    for (const char *function :
         {"cuInit", "cuDeviceGetCount", "cuDriverGetVersion", "cuDeviceGet", "cuDeviceGetName",
          "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain"}) {
      gpu.failNext(function, failing.code);
      Result<Device> result = Device::tryOpen("cuda");
      EXPECT_FALSE(result);
      EXPECT_EQ(result.message(), "`cuda`: " + std::string(function) + ": " + failing.words);
      gpu.set("FAKE_CUDA_FAIL", "");
    }
    Device device = Device::open("cuda");
    std::string ptx = makeGpuProbe();
    for (const char *function : {"cuCtxGetCurrent", "cuCtxPushCurrent", "cuModuleLoadDataEx",
                                 "cuModuleGetFunction", "cuFuncSetAttribute"})
      fails(function, [&] { return Kernel::tryLoad(device, ptx.data(), ptx.size()); });
    Kernel kernel = load(device);
    float *out = nullptr;
    Launch launch = bind(kernel, out);
    launch.prepare();
    for (const char *function : {"cuCtxGetCurrent", "cuCtxPushCurrent", "cuLaunchKernel"})
      fails(function, [&] { return launch.tryRun(); });
    launch();
    expectRight(out);
  }
}

// A kernel that fails is told of by whoever waits; then the context is lost, and every call says
// so.
TEST_F(Cuda, LostContexts) {
  ATTNC_NEEDS_FAKE(gpu);
  Kernel kernel = load(Device::open("cuda"));
  float *out = nullptr;
  Launch launch = bind(kernel, out);
  launch();
  gpu.failNext("cuLaunchKernel", 719);
  EXPECT_EQ(launch.tryRun().status(), ATTNC_DEVICE_FAILED);
  gpu.set("FAKE_CUDA_FAIL", "");
  EXPECT_STREQ(launch.tryRun().message(),
               "cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)");
}
