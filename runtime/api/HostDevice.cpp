//===- HostDevice.cpp - The CPU as a device -------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/HostDevice.h"
#include "attnc/CpuFeatures.h"
#include "runtime/ThreadPool.h"
#include "runtime/host/HostImage.h"
#include <atomic>
#include <cstdlib>
#include <functional>

using namespace attnc;
using namespace attnc::api;

/// The most threads that an option can ask for.
static constexpr int32_t maxThreads = 4096;

namespace {
class HostVariant : public Variant {
public:
  HostVariant(const HostDevice &device, HostKernel code)
      : Variant(code.info), device(device), kernel(std::move(code)) {}

  std::optional<Planner> getPlanner() const override {
    // Where the caller has threads, those of the library stay away.
    return Planner{&kernel, device.hasOwnThreads() ? device.getThreads() : 1};
  }

  Result plan(const BoundArguments &arguments, const std::shared_ptr<const Plan> &keys,
              LaunchPlan &plan) const override {
    plan = {};
    plan.host = planTasks(kernel, arguments, device.getThreads());
    if (keys) {
      plan.keys = keys;
      plan.planned = PlannedTasks(*keys, arguments);
    }
    plan.workspaceBytes =
        static_cast<size_t>(getScratchStride(kernel.scratchBytes) * countParts(countTasks(plan)));
    plan.workspaceAlignment = scratchAlignment;
    return std::nullopt;
  }

  Result run(const BoundArguments &arguments, const LaunchPlan &plan, void *workspace,
             void *stream) const override {
    if (stream)
      return invalidArgument("`stream`: expected NULL on the device `host`");
    int64_t count = countTasks(plan);
    if (count == 0)
      return std::nullopt;
    Run run{*this, arguments, plan, count, static_cast<char *>(workspace), {}};
    device.runParts(
        countParts(count),
        [](void *argument, int64_t part) { static_cast<Run *>(argument)->takeTasks(part); }, &run);
    return std::nullopt;
  }

  Result runPart(const BoundArguments &arguments, const LaunchPlan &plan, void *workspace,
                 int32_t part, int32_t parts) const override {
    if (parts > device.getThreads())
      return invalidArgument("`parts`: expected at most the " +
                             std::to_string(device.getThreads()) + " threads of the device, got " +
                             std::to_string(parts));
    int64_t count = countTasks(plan);
    if (part >= count)
      return std::nullopt;
    // Each part takes as many long tasks as short ones: those of the last queries come first.
    char *scratch = static_cast<char *>(workspace) + part * getScratchStride(kernel.scratchBytes);
    for (int64_t task = part; task < count; task += parts)
      runOne(arguments, plan, task, scratch);
    return std::nullopt;
  }

private:
  /// A launch while it runs: its parts take the tasks in turn.
  struct Run {
    const HostVariant &variant;
    const BoundArguments &arguments;
    const LaunchPlan &plan;
    int64_t count;
    char *workspace;
    std::atomic<int64_t> next;

    void takeTasks(int64_t part) {
      char *scratch = workspace + part * getScratchStride(variant.kernel.scratchBytes);
      for (int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < count;)
        variant.runOne(arguments, plan, task, scratch);
    }
  };

  static int64_t countTasks(const LaunchPlan &plan) {
    return plan.keys ? plan.planned.getCount() : plan.host.count;
  }

  int64_t countParts(int64_t tasks) const { return std::min<int64_t>(device.getThreads(), tasks); }

  void runOne(const BoundArguments &arguments, const LaunchPlan &plan, int64_t task,
              char *scratch) const {
    if (plan.keys)
      plan.planned.run(kernel, arguments, task, scratch);
    else
      runTask(kernel, arguments, plan.host, task, scratch);
  }

  const HostDevice &device; ///< kept by the kernel that this is a variant of
  HostKernel kernel;
};
} // namespace

Result HostDevice::open(const attnc_device_options_t &options, std::shared_ptr<Device> &device) {
  if (options.threads > maxThreads)
    return invalidArgument("`threads`: expected at most " + std::to_string(maxThreads) + ", got " +
                           std::to_string(options.threads));
  auto host = std::make_shared<HostDevice>();
  host->name = "host";
  host->threads = options.threads > 0 ? options.threads : getDefaultThreads();
  host->parallelFor = options.parallel_for;
  host->parallelForContext = options.parallel_for_context;
  host->description = "CPU, " + std::to_string(host->threads) + " threads" +
                      (host->parallelFor ? " of the caller" : "");
  // Launches are not to make threads.
  if (!host->parallelFor)
    ThreadPool::get().run(host->threads, host->threads, [](int64_t, int) {});
  device = std::move(host);
  return std::nullopt;
}

attnc_device_info_t HostDevice::getInfo() const {
  attnc_device_info_t info{};
  info.dl_device = {kDLCPU, 0};
  info.threads = threads;
  return info;
}

Result HostDevice::checkPlace(DLDevice place) const {
  switch (getDeviceType(place)) {
  case kDLCPU:
  case kDLCUDAHost:
  case kDLROCMHost:
  case kDLCUDAManaged:
    return std::nullopt;
  default:
    return invalidArgument("expected memory of the CPU (device type " + std::to_string(kDLCPU) +
                           " of DLPack), got device type " + std::to_string(getDeviceType(place)));
  }
}

std::optional<int64_t> HostDevice::rate(const PackagedCode &code) const {
  if (code.form != CodeForm::HostImage || !isForThisMachine(code.bytes))
    return std::nullopt;
  // Of what this CPU has all of, the code that needs most.
  int64_t count = 0;
  for (std::string_view rest = code.features; !rest.empty(); ++count) {
    size_t comma = std::min(rest.find(','), rest.size());
    if (!hasCpuFeature(rest.substr(0, comma)))
      return std::nullopt;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return count;
}

Result HostDevice::load(std::string_view bytes, std::vector<std::unique_ptr<Variant>> &variants) {
  if (!isHostImage(bytes))
    return Failure{ATTNC_INVALID_KERNEL, "expected a host image, which `attnc FILE -o OUT.so` "
                                         "writes, got " +
                                             describeBytes(bytes)};
  std::vector<HostKernel> kernels;
  if (std::optional<std::string> error = loadHostImage(bytes, kernels))
    return Failure{ATTNC_INVALID_KERNEL, *error};
  for (HostKernel &kernel : kernels) {
    if (kernel.info.checked)
      return Failure{ATTNC_INVALID_KERNEL, "`" + kernel.info.name +
                                               "` was compiled with --checked, whose reports only "
                                               "attn-run shows"};
    variants.push_back(std::make_unique<HostVariant>(*this, std::move(kernel)));
  }
  return std::nullopt;
}

Result HostDevice::allocate(size_t bytes, void *&memory) {
  memory = std::aligned_alloc(scratchAlignment,
                              (bytes + scratchAlignment - 1) / scratchAlignment * scratchAlignment);
  if (memory)
    return std::nullopt;
  return Failure{ATTNC_OUT_OF_MEMORY,
                 "cannot allocate " + std::to_string(bytes) + " bytes of workspace"};
}

void HostDevice::release(void *memory) { std::free(memory); }

void HostDevice::runParts(int64_t parts, void (*body)(void *argument, int64_t part),
                          void *argument) const {
  if (parts == 1)
    return body(argument, 0);
  if (parallelFor)
    return parallelFor(parallelForContext, parts, body, argument);
  auto call = [body, argument](int64_t part, int) { body(argument, part); };
  // By reference, so that nothing is copied to the heap.
  ThreadPool::get().run(parts, static_cast<int>(parts), std::ref(call));
}
