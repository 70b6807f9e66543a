//===- CudaKernel.cpp - GPU kernels of attnc on a GPU -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/cuda/CudaKernel.h"

using namespace attnc;
using namespace attnc::cuda;

/// An address of this process.
static void *getPointer(uint64_t address) { return reinterpret_cast<void *>(address); }

CudaKernel::~CudaKernel() {
  if (module)
    driver.cuModuleUnload(module);
}

std::optional<std::string> CudaKernel::load(const std::string &code, const GpuKernel &which) {
  kernel = which;
  std::vector<char> log(16384);
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log.data(), getPointer(log.size() - 1)};
  if (auto error =
          driver.cuModuleLoadDataEx(&module, code.c_str(), std::size(options), options, values)) {
    std::string text = log.data();
    return text.empty() ? error : *error + ": " + text;
  }
  if (auto error = driver.cuModuleGetFunction(&function, module, kernel.info.name.c_str()))
    return error;
  return driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   static_cast<int>(kernel.sharedBytes));
}

CudaLaunch::~CudaLaunch() {
  for (const Buffer &buffer : buffers)
    driver.cuMemFree(buffer.allocation);
}

std::optional<std::string> CudaLaunch::prepare(const BoundArguments &arguments) {
  // Addresses are multiples of what they are here, up to the widest access.
  constexpr uint64_t widestAccess = 16;
  if (auto error = countBlocks(kernel.kernel, arguments, blocks))
    return error;
  slots = arguments.slots;
  std::vector<LaunchTensor> tensors = getLaunchTensors(kernel.kernel.info, arguments);
  for (const LaunchTensor &tensor : tensors)
    slots[tensor.slot] = 0;
  for (const LaunchStorage &storage : getLaunchStorages(tensors)) {
    uint64_t bytes = storage.end - storage.begin, offset = storage.begin % widestAccess;
    Buffer buffer;
    buffer.storage = storage;
    if (auto error = driver.cuMemAlloc(&buffer.allocation, bytes + offset))
      return error;
    buffer.address = buffer.allocation + offset;
    for (size_t index : storage.tensors) {
      const LaunchTensor &tensor = tensors[index];
      slots[tensor.slot] = static_cast<int64_t>(buffer.address + tensor.getBegin() - storage.begin);
      buffer.isOutput |= tensor.isOutput;
    }
    buffers.push_back(buffer);
    if (auto error = driver.cuMemcpyHtoD(buffer.address, getPointer(storage.begin), bytes))
      return error;
  }
  return std::nullopt;
}

std::optional<std::string> CudaLaunch::start() const {
  if (blocks == 0)
    return std::nullopt;
  std::vector<int64_t> arguments = slots;
  void *parameters[] = {arguments.data()};
  return driver.cuLaunchKernel(kernel.function, static_cast<unsigned>(blocks), 1, 1,
                               static_cast<unsigned>(kernel.kernel.threads), 1, 1,
                               static_cast<unsigned>(kernel.kernel.sharedBytes),
                               /*stream=*/nullptr, parameters, /*extra=*/nullptr);
}

std::optional<std::string> CudaLaunch::readOutputs() const {
  if (auto error = driver.cuCtxSynchronize())
    return error;
  for (const Buffer &buffer : buffers)
    if (buffer.isOutput)
      if (auto error = driver.cuMemcpyDtoH(getPointer(buffer.storage.begin), buffer.address,
                                           buffer.storage.end - buffer.storage.begin))
        return error;
  return std::nullopt;
}
