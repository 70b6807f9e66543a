//===- EmulatedKernel.cpp - GPU kernels of attnc in the emulator ----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/EmulatedKernel.h"
#include "runtime/emulator/DeviceTensors.h"

#include <algorithm>

namespace attnc::emu {

std::optional<std::string> EmulatedKernel::load(std::string_view ptx, const GpuKernel &which) {
  std::vector<Diagnostic> diagnostics;
  kernel = which;
  module = device.loadModule(ptx, diagnostics);
  if (!module) {
    std::string text;
    for (const Diagnostic &diagnostic : diagnostics)
      text += (text.empty() ? "" : "\n") + formatDiagnostic("PTX", diagnostic);
    return text;
  }
  const std::string &name = kernel.info.name;
  if (auto error = findEntry(name, kernel.threads, kernel.sharedBytes, main))
    return error;
  if (!kernel.shortGrid)
    return std::nullopt;
  const ShortGrid &grid = *kernel.shortGrid;
  if (auto error =
          findEntry(name + GpuKernel::shortSuffix, grid.threads, grid.sharedBytes, shortEntry))
    return error;
  return findEntry(name + GpuKernel::combineSuffix, grid.combineThreads, grid.combineSharedBytes,
                   combine);
}

std::optional<std::string> EmulatedKernel::findEntry(const std::string &name, int64_t threads,
                                                     int64_t sharedBytes, Entry &entry) {
  entry = {module->findKernel(name), name, threads, sharedBytes};
  return entry.program ? std::nullopt : std::optional("there is no kernel `" + name + "`");
}

/// All faults of a launch, as text for people.
static std::string formatFaults(const std::string &name, const std::vector<Fault> &faults) {
  constexpr size_t maximum = 20;
  std::string text = "the emulator has found faults in the kernel `" + name + "`\n";
  for (size_t i = 0; i < std::min(faults.size(), maximum); ++i)
    text += formatFault(faults[i]);
  if (faults.size() > maximum)
    text += std::to_string(faults.size() - maximum) + " more faults\n";
  text.pop_back();
  return text;
}

std::optional<EmulationError> EmulatedKernel::launchEntry(const Entry &entry, int64_t blocks,
                                                          const std::vector<int64_t> &slots,
                                                          const std::vector<int64_t> &splitSlots,
                                                          const LaunchOptions &options) {
  LaunchConfig config;
  config.grid = {static_cast<uint32_t>(blocks), 1, 1};
  config.block = {static_cast<uint32_t>(entry.threads), 1, 1};
  config.dynamicShared = static_cast<uint64_t>(entry.sharedBytes);
  KernelArguments parameters(*entry.program);
  std::string expected;
  bool fits = true;
  for (const std::vector<int64_t> *array : {&slots, &splitSlots}) {
    if (array->empty())
      continue;
    size_t bytes = array->size() * sizeof(int64_t);
    fits = fits && parameters.add(array->data(), bytes);
    expected += (expected.empty() ? "one parameter of " : " and one of ") + std::to_string(bytes) +
                " bytes";
  }
  if (!fits || parameters.count() != entry.program->parameters.size())
    return EmulationError{true, "the kernel `" + entry.name + "` does not take " + expected};
  LaunchResult result = device.launch(*entry.program, config, parameters.getBytes(), options);
  if (!result.succeeded)
    return EmulationError{true, formatFaults(entry.name, result.faults)};
  if (options.statistics)
    statistics.add(result.statistics);
  return std::nullopt;
}

std::optional<EmulationError> EmulatedKernel::launchEntries(const GpuLaunch &plan,
                                                            const DeviceTensors &tensors,
                                                            const LaunchOptions &options) {
  const std::vector<int64_t> &slots = tensors.getSlots();
  if (plan.splits == 0)
    return launchEntry(main, plan.blocks, slots, {}, options);
  uint64_t workspace = 0;
  if (plan.workspaceBytes > 0) {
    workspace = device.allocate(static_cast<uint64_t>(plan.workspaceBytes), "workspace");
    if (!workspace)
      return EmulationError{false, "no memory for the workspace on the emulated device"};
  }
  std::vector<int64_t> splitSlots = {static_cast<int64_t>(workspace), plan.splits};
  auto error = launchEntry(shortEntry, plan.blocks, slots, splitSlots, options);
  if (!error && plan.combineBlocks > 0)
    error = launchEntry(combine, plan.combineBlocks, slots, splitSlots, options);
  if (workspace)
    device.release(workspace);
  return error;
}

std::optional<EmulationError> EmulatedKernel::launch(const BoundArguments &arguments,
                                                     const EmulationOptions &options) {
  GpuLaunch plan;
  int64_t splits =
      options.splits ? *options.splits : chooseSplits(kernel, arguments, options.multiprocessors);
  if (std::optional<std::string> error = planLaunch(kernel, arguments, splits, plan))
    return EmulationError{false, *error};
  statistics = {};
  if (plan.blocks == 0)
    return std::nullopt;
  LaunchOptions launchOptions;
  launchOptions.perturbApproximations = options.perturbApproximations;
  launchOptions.workers = options.workers;

  std::vector<uint8_t> first, outputs;
  for (const Schedule &schedule : options.schedules) {
    bool isFirst = &schedule == &options.schedules.front();
    launchOptions.schedule = schedule;
    launchOptions.statistics = options.countsStatistics && isFirst;
    DeviceTensors tensors(device, kernel.info, arguments);
    if (!tensors.allocate())
      return EmulationError{false, "no memory for the buffers of the emulated device"};
    if (auto error = launchEntries(plan, tensors, launchOptions))
      return error;
    if (std::optional<std::string> error = tensors.readOutputs(isFirst ? first : outputs))
      return EmulationError{true, *error + " under the schedule " + formatSchedule(schedule)};
    if (isFirst || options.perturbApproximations)
      continue;
    auto differs = std::mismatch(first.begin(), first.end(), outputs.begin());
    if (differs.first != first.end())
      return EmulationError{
          true, tensors.nameElement(static_cast<size_t>(differs.first - first.begin())) +
                    " depends on the schedule: " + formatSchedule(options.schedules.front()) +
                    " against " + formatSchedule(schedule)};
  }
  DeviceTensors(device, kernel.info, arguments).writeBack(first);
  return std::nullopt;
}

} // namespace attnc::emu
