//===- FakeGpu.cpp - The fake driver in this process ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/api/FakeGpu.h"
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace attnc;
using namespace attnc::test;
using namespace attnc::cuda;

FakeGpu::FakeGpu() {
  const char *driver = std::getenv("ATTNC_TEST_DRIVER");
  fake = !driver;
  library = dlopen(fake ? ATTNC_FAKE_CUDA : driver, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    ADD_FAILURE() << dlerror();
    return;
  }
  if (!fake)
    return;
  find<void (*)()>("fake_cuda_recover")();
  char path[] = "/tmp/attnc-fake-cuda-XXXXXX";
  int file = mkstemp(path);
  close(file);
  log = path;
  set("FAKE_CUDA_LOG", log.c_str());
}

FakeGpu::~FakeGpu() {
  for (const char *name : settings)
    unsetenv(name);
  if (fake)
    unlink(log.c_str());
}

template <typename FunctionT> FunctionT FakeGpu::find(const char *name) const {
  return reinterpret_cast<FunctionT>(dlsym(library, name));
}

void FakeGpu::set(const char *name, const char *value) {
  setenv(name, value, /*overwrite=*/1);
  settings.push_back(name);
}

void FakeGpu::failNext(const char *function, int code) {
  int next = find<int (*)(const char *)>("fake_cuda_count")(function) + 1;
  std::string text =
      std::string(function) + ":" + std::to_string(next) + ":" + std::to_string(code);
  set("FAKE_CUDA_FAIL", text.c_str());
}

std::string FakeGpu::getLog() const {
  std::ifstream file(log);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void *FakeGpu::uploadBytes(const void *bytes, size_t size) {
  find<CUresult (*)(unsigned)>("cuInit")(0);
  CUcontext context = nullptr;
  find<CUresult (*)(CUcontext *, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, 0);
  find<CUresult (*)(CUcontext)>("cuCtxPushCurrent_v2")(context);
  CUdeviceptr address = 0;
  EXPECT_EQ(find<CUresult (*)(CUdeviceptr *, size_t)>("cuMemAlloc_v2")(&address, size), 0);
  EXPECT_EQ(find<CUresult (*)(CUdeviceptr, const void *, size_t)>("cuMemcpyHtoD_v2")(address, bytes,
                                                                                     size),
            0);
  find<CUresult (*)(CUcontext *)>("cuCtxPopCurrent_v2")(&context);
  return reinterpret_cast<void *>(address);
}

void FakeGpu::downloadBytes(const void *memory, void *bytes, size_t size) {
  CUcontext context = nullptr;
  find<CUresult (*)(CUcontext *, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, 0);
  find<CUresult (*)(CUcontext)>("cuCtxPushCurrent_v2")(context);
  EXPECT_EQ(find<CUresult (*)(void *, CUdeviceptr, size_t)>("cuMemcpyDtoH_v2")(
                bytes, reinterpret_cast<CUdeviceptr>(memory), size),
            0);
  find<CUresult (*)(CUcontext *)>("cuCtxPopCurrent_v2")(&context);
}
