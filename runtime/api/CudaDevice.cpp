//===- CudaDevice.cpp - NVIDIA GPUs as devices ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/CudaDevice.h"
#include "attnc/DeviceList.h"
#include "runtime/GpuCode.h"
#include "runtime/api/CudaStatus.h"

using namespace attnc;
using namespace attnc::api;
using cuda::Gpu;

/// What the driver needs of an address for workspace.
static constexpr size_t workspaceAlignment = 16;
/// Kernels are for GPUs of this compute capability, 8.0, and later.
static constexpr int minMajor = 8;

namespace {
/// Makes the context of a GPU current in this thread, until it goes out of scope.
class ContextScope {
public:
  explicit ContextScope(const Gpu &gpu) : gpu(gpu) {
    cuda::CUcontext current = nullptr;
    failure = callDriver(gpu.getDriver().cuCtxGetCurrent, &current);
    if (failure || current == gpu.getContext())
      return;
    failure = callDriver(gpu.getDriver().cuCtxPushCurrent, gpu.getContext());
    isPushed = !failure;
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  ~ContextScope() {
    cuda::CUcontext popped = nullptr;
    if (isPushed)
      gpu.getDriver().cuCtxPopCurrent.call(&popped);
  }

  const Result &getFailure() const { return failure; }

private:
  const Gpu &gpu;
  Result failure;
  bool isPushed = false;
};

/// Code in the context of a GPU, which the kernel keeps.
class CudaModule {
public:
  explicit CudaModule(const Gpu &gpu) : gpu(gpu) {}
  CudaModule(const CudaModule &) = delete;
  CudaModule &operator=(const CudaModule &) = delete;
  ~CudaModule() {
    if (!module)
      return;
    ContextScope scope(gpu);
    gpu.getDriver().cuModuleUnload.call(module);
  }

  /// Has the driver take the code; where it compiles PTX, its log is part of the message.
  Result load(std::string_view bytes) {
    constexpr size_t logBytes = 16384;
    std::string code(bytes), log(logBytes, '\0');
    int options[] = {cuda::CU_JIT_ERROR_LOG_BUFFER, cuda::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log.data(), reinterpret_cast<void *>(logBytes - 1)};
    cuda::CUmodule loaded = nullptr;
    Result failure =
        callDriver(gpu.getDriver().cuModuleLoadDataEx, &loaded,
                   static_cast<const void *>(code.c_str()), 2U, &options[0], &values[0]);
    if (!failure) {
      module = loaded;
      return std::nullopt;
    }
    log.resize(log.find('\0'));
    if (!log.empty())
      failure->message += ": " + log;
    constexpr int perMajor = 1000, perMinor = 10;
    int version = gpu.getDriverVersion();
    if (failure->status == ATTNC_INVALID_KERNEL)
      failure->message += "; the driver is for CUDA " + std::to_string(version / perMajor) + "." +
                          std::to_string(version % perMajor / perMinor);
    return failure;
  }

  Result getFunction(const GpuEntry &entry, cuda::CUfunction &function) const {
    if (Result failure =
            callDriver(gpu.getDriver().cuModuleGetFunction, &function, module, entry.name.c_str()))
      return failure;
    return callDriver(gpu.getDriver().cuFuncSetAttribute, function,
                      cuda::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                      static_cast<int>(entry.sharedBytes));
  }

private:
  const Gpu &gpu;
  cuda::CUmodule module = nullptr;
};

class CudaVariant : public Variant {
public:
  CudaVariant(const Gpu &gpu, GpuKernel code, std::string arch,
              std::shared_ptr<const CudaModule> module)
      : Variant(code.info), gpu(gpu), kernel(std::move(code)), arch(std::move(arch)),
        module(std::move(module)), entries(getEntries(kernel)), functions(entries.size()) {}

  /// Finds the entries in the module.
  Result resolve() {
    for (size_t i = 0; i < entries.size(); ++i)
      if (Result failure = module->getFunction(entries[i], functions[i]))
        return failure;
    return std::nullopt;
  }

  std::string getArch() const override { return arch; }

  Result plan(const BoundArguments &arguments, const std::shared_ptr<const Plan> &,
              LaunchPlan &plan) const override {
    plan = {};
    GpuLaunch launch;
    if (std::optional<std::string> error =
            planLaunch(kernel, arguments,
                       chooseSplits(kernel, arguments, gpu.getNumMultiprocessors()), launch))
      return invalidArgument(*error);
    plan.gpu = launch;
    plan.grids = launch.getGrids(kernel);
    plan.workspaceBytes = static_cast<size_t>(launch.workspaceBytes);
    plan.workspaceAlignment = workspaceAlignment;
    return std::nullopt;
  }

  Result run(const BoundArguments &arguments, const LaunchPlan &plan, void *workspace,
             void *stream) const override {
    if (plan.grids.empty())
      return std::nullopt;
    ContextScope scope(gpu);
    if (scope.getFailure())
      return scope.getFailure();
    auto slots = plan.gpu.getWorkspaceSlots(reinterpret_cast<intptr_t>(workspace));
    static_assert(sizeof slots == GpuKernel::workspaceParameterBytes);
    // The driver copies what these point at; some entries take the first one only.
    void *parameters[] = {const_cast<int64_t *>(arguments.slots.data()), slots.data()};
    for (const GpuGrid &grid : plan.grids) {
      const GpuEntry &entry = entries[grid.entry];
      if (Result failure = callDriver(
              gpu.getDriver().cuLaunchKernel, functions[grid.entry],
              static_cast<unsigned>(grid.blocks), 1U, 1U, static_cast<unsigned>(entry.threads), 1U,
              1U, static_cast<unsigned>(entry.sharedBytes), static_cast<cuda::CUstream>(stream),
              &parameters[0], static_cast<void **>(nullptr)))
        return failure;
    }
    return std::nullopt;
  }

private:
  const Gpu &gpu;
  GpuKernel kernel;
  std::string arch;
  std::shared_ptr<const CudaModule> module;
  std::vector<GpuEntry> entries;
  std::vector<cuda::CUfunction> functions; ///< of the entries
};
} // namespace

Result CudaDevice::open(std::string_view name, std::shared_ptr<Device> &device) {
  std::optional<int> ordinal = parseGpuName(name);
  if (!ordinal)
    return invalidArgument("expected `cuda` or `cuda:N`, got `" + std::string(name) + "`");
  auto cuda = std::make_shared<CudaDevice>();
  cuda->name = name;
  if (std::optional<cuda::GpuError> error = cuda->gpu.open(*ordinal))
    return Failure{error->isMissing ? ATTNC_UNAVAILABLE : ATTNC_DEVICE_FAILED,
                   "`" + cuda->name + "`: " + error->message};
  if (cuda->gpu.getMajor() < minMajor)
    return Failure{ATTNC_UNAVAILABLE, "`" + cuda->name +
                                          "`: expected a GPU of compute capability " +
                                          std::to_string(minMajor) + ".0 or later, got " +
                                          std::to_string(cuda->gpu.getMajor()) + "." +
                                          std::to_string(cuda->gpu.getMinor())};
  cuda->description = cuda->gpu.getName() + ", compute capability " +
                      std::to_string(cuda->gpu.getMajor()) + "." +
                      std::to_string(cuda->gpu.getMinor());
  device = std::move(cuda);
  return std::nullopt;
}

attnc_device_info_t CudaDevice::getInfo() const {
  attnc_device_info_t info{};
  info.dl_device = {kDLCUDA, gpu.getOrdinal()};
  info.multiprocessors = gpu.getNumMultiprocessors();
  info.major = gpu.getMajor();
  info.minor = gpu.getMinor();
  return info;
}

Result CudaDevice::checkPlace(DLDevice place) const {
  if (getDeviceType(place) == kDLCUDAManaged ||
      (getDeviceType(place) == kDLCUDA && place.device_id == gpu.getOrdinal()))
    return std::nullopt;
  return invalidArgument("expected memory of the GPU " + std::to_string(gpu.getOrdinal()) +
                         " (device type " + std::to_string(kDLCUDA) + " of DLPack), got device " +
                         std::to_string(place.device_id) + " of type " +
                         std::to_string(getDeviceType(place)));
}

std::optional<int64_t> CudaDevice::rate(const PackagedCode &code) const {
  return rateGpuCode(code, gpu.getMajor(), gpu.getMinor());
}

Result CudaDevice::load(std::string_view bytes, std::vector<std::unique_ptr<Variant>> &variants) {
  GpuCode code;
  if (std::optional<std::string> error = readGpuCode(bytes, code)) {
    bool isOther = !isCubin(bytes) && describeBytes(bytes) != "PTX";
    return Failure{ATTNC_INVALID_KERNEL, *error + (isOther ? ", got " + describeBytes(bytes) : "")};
  }
  if (std::optional<std::string> error = checkArch(code, gpu.getMajor(), gpu.getMinor()))
    return Failure{ATTNC_INVALID_KERNEL, *error};
  ContextScope scope(gpu);
  if (scope.getFailure())
    return scope.getFailure();
  auto module = std::make_shared<CudaModule>(gpu);
  if (Result failure = module->load(bytes))
    return failure;
  for (GpuKernel &kernel : code.kernels) {
    auto variant = std::make_unique<CudaVariant>(gpu, std::move(kernel), code.arch, module);
    if (Result failure = variant->resolve())
      return failure;
    variants.push_back(std::move(variant));
  }
  return std::nullopt;
}

std::string CudaDevice::getCompileTarget() const {
  return "gpu:" + std::to_string(gpu.getMajor()) + "." + std::to_string(gpu.getMinor());
}

Result CudaDevice::allocate(size_t bytes, void *&memory) {
  ContextScope scope(gpu);
  if (scope.getFailure())
    return scope.getFailure();
  cuda::CUdeviceptr address = 0;
  if (Result failure = callDriver(gpu.getDriver().cuMemAlloc, &address, bytes))
    return failure;
  memory = reinterpret_cast<void *>(address);
  return std::nullopt;
}

void CudaDevice::release(void *memory) {
  ContextScope scope(gpu);
  gpu.getDriver().cuMemFree.call(reinterpret_cast<cuda::CUdeviceptr>(memory));
}
