//===- CudaKernel.cpp - GPU kernels of attnc on a GPU -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/cuda/CudaKernel.h"
#include <algorithm>

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
  entries = getEntries(kernel);
  for (const GpuEntry &entry : entries) {
    CUfunction &function = functions.emplace_back();
    if (auto error = driver.cuModuleGetFunction(&function, module, entry.name.c_str()))
      return error;
    if (auto error =
            driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                      static_cast<int>(entry.sharedBytes)))
      return error;
  }
  return std::nullopt;
}

CudaLaunch::~CudaLaunch() {
  for (CUdeviceptr buffer : buffers)
    driver.cuMemFree(buffer);
  if (workspace)
    driver.cuMemFree(workspace);
}

std::optional<std::string> CudaLaunch::prepare(const BoundArguments &bound) {
  if (auto error = planLaunch(kernel.kernel, bound,
                              chooseSplits(kernel.kernel, bound, kernel.multiprocessors), plan))
    return error;
  grids = plan.getGrids(kernel.kernel);
  if (plan.workspaceBytes > 0)
    if (auto error = driver.cuMemAlloc(&workspace, static_cast<size_t>(plan.workspaceBytes)))
      return error;
  arguments = DeviceArguments(kernel.kernel.info, bound);
  for (const LaunchStorage &storage : arguments.getStorages()) {
    CUdeviceptr buffer = 0;
    if (auto error = driver.cuMemAlloc(&buffer, storage.getNumBytes() + storage.getMisalignment()))
      return error;
    buffers.push_back(buffer);
    CUdeviceptr address = buffer + storage.getMisalignment();
    arguments.place(storage, address);
    if (auto error = driver.cuMemcpyHtoD(address, getPointer(storage.begin), storage.getNumBytes()))
      return error;
  }
  return std::nullopt;
}

std::optional<std::string> CudaLaunch::start() const {
  auto slots = plan.getWorkspaceSlots(static_cast<int64_t>(workspace));
  static_assert(sizeof slots == GpuKernel::workspaceParameterBytes);
  // Some entries take the first one only. The driver reads what it gets pointers to.
  void *parameters[] = {const_cast<int64_t *>(arguments.getSlots().data()), slots.data()};
  for (const GpuGrid &grid : grids) {
    const GpuEntry &entry = kernel.entries[grid.entry];
    if (auto error = driver.cuLaunchKernel(
            kernel.functions[grid.entry], static_cast<unsigned>(grid.blocks), 1, 1,
            static_cast<unsigned>(entry.threads), 1, 1, static_cast<unsigned>(entry.sharedBytes),
            /*stream=*/nullptr, parameters, /*extra=*/nullptr))
      return error;
  }
  return std::nullopt;
}

std::optional<std::string> CudaLaunch::readOutputs() const {
  if (auto error = driver.cuCtxSynchronize())
    return error;
  const std::vector<LaunchTensor> &tensors = arguments.getTensors();
  for (const LaunchStorage &storage : arguments.getStorages()) {
    bool isOutput = std::any_of(storage.tensors.begin(), storage.tensors.end(),
                                [&](size_t index) { return tensors[index].isOutput; });
    CUdeviceptr address = arguments.getAddress(tensors[storage.tensors.front()]);
    if (isOutput)
      if (auto error =
              driver.cuMemcpyDtoH(getPointer(storage.begin), address, storage.getNumBytes()))
        return error;
  }
  return std::nullopt;
}
