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
  entries = getEntries(kernel);
  programs.clear();
  for (const GpuEntry &entry : entries)
    if (!programs.emplace_back(module->findKernel(entry.name)))
      return "there is no kernel `" + entry.name + "`";
  return std::nullopt;
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

std::optional<EmulationError> EmulatedKernel::launchGrid(const GpuGrid &grid,
                                                         const std::vector<int64_t> &slots,
                                                         const std::vector<int64_t> &workspaceSlots,
                                                         const LaunchOptions &options) {
  const GpuEntry &entry = entries[grid.entry];
  const Program &program = *programs[grid.entry];
  LaunchConfig config;
  config.grid = {static_cast<uint32_t>(grid.blocks), 1, 1};
  config.block = {static_cast<uint32_t>(entry.threads), 1, 1};
  config.dynamicShared = static_cast<uint64_t>(entry.sharedBytes);
  KernelArguments parameters(program);
  std::string expected;
  bool fits = true;
  for (const std::vector<int64_t> *array : {&slots, &workspaceSlots}) {
    if (array->empty())
      continue;
    size_t bytes = array->size() * sizeof(int64_t);
    fits = fits && parameters.add(array->data(), bytes);
    expected += (expected.empty() ? "one parameter of " : " and one of ") + std::to_string(bytes) +
                " bytes";
  }
  if (!fits || parameters.count() != program.parameters.size())
    return EmulationError{true, "the kernel `" + entry.name + "` does not take " + expected};
  LaunchResult result = device.launch(program, config, parameters.getBytes(), options);
  if (!result.succeeded)
    return EmulationError{true, formatFaults(entry.name, result.faults)};
  if (options.statistics)
    statistics.add(result.statistics);
  return std::nullopt;
}

std::optional<EmulationError> EmulatedKernel::launchGrids(const GpuLaunch &plan,
                                                          const DeviceTensors &tensors,
                                                          const LaunchOptions &options) {
  uint64_t workspace = 0;
  if (plan.workspaceBytes > 0) {
    workspace = device.allocate(static_cast<uint64_t>(plan.workspaceBytes), "workspace");
    if (!workspace)
      return EmulationError{false, "no memory for the workspace on the emulated device"};
  }
  std::vector<int64_t> workspaceSlots;
  if (plan.splits > 0 || kernel.summaries) {
    auto slots = plan.getWorkspaceSlots(static_cast<int64_t>(workspace));
    workspaceSlots.assign(slots.begin(), slots.end());
  }
  std::optional<EmulationError> error;
  for (const GpuGrid &grid : plan.getGrids(kernel))
    if (!error)
      error = launchGrid(grid, tensors.getSlots(), workspaceSlots, options);
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
    if (auto error = launchGrids(plan, tensors, launchOptions))
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
