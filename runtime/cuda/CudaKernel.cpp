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
  const std::string &name = kernel.info.name;
  if (auto error = loadEntry(name, kernel.threads, kernel.sharedBytes, main))
    return error;
  if (!kernel.shortGrid)
    return std::nullopt;
  const ShortGrid &grid = *kernel.shortGrid;
  if (auto error =
          loadEntry(name + GpuKernel::shortSuffix, grid.threads, grid.sharedBytes, shortEntry))
    return error;
  return loadEntry(name + GpuKernel::combineSuffix, grid.combineThreads, grid.combineSharedBytes,
                   combine);
}

std::optional<std::string> CudaKernel::loadEntry(const std::string &name, int64_t threads,
                                                 int64_t sharedBytes, Entry &entry) {
  entry.threads = threads;
  entry.sharedBytes = sharedBytes;
  if (auto error = driver.cuModuleGetFunction(&entry.function, module, name.c_str()))
    return error;
  return driver.cuFuncSetAttribute(entry.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   static_cast<int>(sharedBytes));
}

CudaLaunch::~CudaLaunch() {
  for (const Buffer &buffer : buffers)
    driver.cuMemFree(buffer.allocation);
  if (workspace)
    driver.cuMemFree(workspace);
}

std::optional<std::string> CudaLaunch::prepare(const BoundArguments &arguments) {
  // Addresses are multiples of what they are here, up to the widest access.
  constexpr uint64_t widestAccess = 16;
  int64_t splits = chooseSplits(kernel.kernel, arguments, kernel.multiprocessors);
  if (auto error = planLaunch(kernel.kernel, arguments, splits, plan))
    return error;
  if (plan.workspaceBytes > 0)
    if (auto error = driver.cuMemAlloc(&workspace, static_cast<size_t>(plan.workspaceBytes)))
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
  if (plan.blocks == 0)
    return std::nullopt;
  bool isShort = plan.splits > 0;
  if (auto error = startEntry(isShort ? kernel.shortEntry : kernel.main, plan.blocks))
    return error;
  return plan.combineBlocks > 0 ? startEntry(kernel.combine, plan.combineBlocks) : std::nullopt;
}

std::optional<std::string> CudaLaunch::startEntry(const CudaKernel::Entry &entry,
                                                  int64_t blocks) const {
  std::vector<int64_t> arguments = slots;
  int64_t split[] = {static_cast<int64_t>(workspace), plan.splits};
  static_assert(sizeof split == GpuKernel::splitParameterBytes);
  // The entry of long grids takes the first one only.
  void *parameters[] = {arguments.data(), split};
  return driver.cuLaunchKernel(entry.function, static_cast<unsigned>(blocks), 1, 1,
                               static_cast<unsigned>(entry.threads), 1, 1,
                               static_cast<unsigned>(entry.sharedBytes),
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
