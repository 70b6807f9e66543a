//===- Device.h - What kernels run on ---------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_DEVICE_H
#define RUNTIME_API_DEVICE_H

#include "attnc/GpuKernel.h"
#include "attnc/HostKernel.h"
#include "attnc/Plan.h"
#include "runtime/api/Failure.h"
#include "runtime/package/Package.h"
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace attnc::api {

/// How a launch is made, by sizes and strides alone.
struct LaunchPlan {
  size_t workspaceBytes = 0;
  size_t workspaceAlignment = 1;
  HostTasks host;
  std::shared_ptr<const Plan> keys; ///< on the host: the keys to visit; null for none
  PlannedTasks planned;             ///< by it
  GpuLaunch gpu;                    ///< on a GPU
  std::vector<GpuGrid> grids;       ///< of a launch on a GPU, one after the other
};

/// A kernel of one element type and head dim, loaded on a device. Any number of threads may use it.
class Variant {
public:
  explicit Variant(KernelInfo info) : info(std::move(info)) {}
  virtual ~Variant() = default;

  const KernelInfo &getInfo() const { return info; }
  /// Of a kernel for GPUs, else empty.
  virtual std::string getArch() const { return ""; }

  /// A kernel for the host, which alone knows of plans, and the threads to make one on.
  struct Planner {
    const HostKernel *kernel;
    int threads;
  };
  virtual std::optional<Planner> getPlanner() const { return std::nullopt; }

  /// Plans a launch; with `keys`, which it fits and getPlanner() knows of, that visits those alone.
  virtual Result plan(const BoundArguments &arguments, const std::shared_ptr<const Plan> &keys,
                      LaunchPlan &plan) const = 0;

  /// Runs or starts a launch that was planned, without allocating.
  virtual Result run(const BoundArguments &arguments, const LaunchPlan &plan, void *workspace,
                     void *stream) const = 0;

  /// Runs part `part` of `parts` in this thread.
  virtual Result runPart(const BoundArguments &arguments, const LaunchPlan &plan, void *workspace,
                         int32_t part, int32_t parts) const;

private:
  KernelInfo info;
};

/// What attnc_device_t stands for. Any number of threads may use it.
class Device : public std::enable_shared_from_this<Device> {
public:
  virtual ~Device() = default;

  /// Has a device that was opened make a kernel, or says why it cannot.
  using MakeKernel = std::function<Result(const std::shared_ptr<Device> &device)>;

  /// Opens the device of that name, or the first of a list that is there; with `makeKernel`, that
  /// is there and has made the kernel.
  static Result open(std::string_view name, const attnc_device_options_t &options,
                     std::shared_ptr<Device> &device, const MakeKernel &makeKernel = nullptr);

  const std::string &getName() const { return name; }
  const std::string &getDescription() const { return description; }
  /// Why the devices before it in a list were not taken, a line for each.
  const std::string &getPassedOver() const { return passedOver; }
  virtual attnc_device_info_t getInfo() const = 0;

  /// Whether tensors for it may lie there; else the message says where they should.
  virtual Result checkPlace(DLDevice place) const = 0;

  /// How near to this device the code of a package is, more for nearer; nothing if it cannot run.
  virtual std::optional<int64_t> rate(const PackagedCode &code) const = 0;

  /// Loads all kernels in `bytes`, which are no package; there is at least one.
  virtual Result load(std::string_view bytes, std::vector<std::unique_ptr<Variant>> &variants) = 0;

  /// What attnc_compile calls it.
  virtual std::string getCompileTarget() const = 0;

  /// Memory for workspace.
  virtual Result allocate(size_t bytes, void *&memory) = 0;
  virtual void release(void *memory) = 0;

private:
  /// Opens the device of that name alone.
  static Result openOne(std::string_view name, const attnc_device_options_t &options,
                        std::shared_ptr<Device> &device);

protected:
  std::string name, description, passedOver;
};

/// The device type of `place`, which may be none of those of DLPack: the caller has written it.
inline std::underlying_type_t<DLDeviceType> getDeviceType(const DLDevice &place) {
  std::underlying_type_t<DLDeviceType> type;
  std::memcpy(&type, &place.device_type, sizeof type);
  return type;
}

/// How near code for GPUs is to one of that compute capability, as Device::rate() has it: the
/// newest architecture, and of one architecture machine code before PTX.
std::optional<int64_t> rateGpuCode(const PackagedCode &code, int major, int minor);

/// For messages: "PTX", "a cubin", "a host image", "an object file", or "something else".
std::string describeBytes(std::string_view bytes);

} // namespace attnc::api

#endif // RUNTIME_API_DEVICE_H
