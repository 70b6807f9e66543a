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
  program = module->findKernel(kernel.info.name);
  return program ? std::nullopt : std::optional("there is no kernel `" + kernel.info.name + "`");
}

/// All faults of a launch, as text for people.
static std::string formatFaults(const GpuKernel &kernel, const std::vector<Fault> &faults) {
  constexpr size_t maximum = 20;
  std::string text = "the emulator has found faults in the kernel `" + kernel.info.name + "`\n";
  for (size_t i = 0; i < std::min(faults.size(), maximum); ++i)
    text += formatFault(faults[i]);
  if (faults.size() > maximum)
    text += std::to_string(faults.size() - maximum) + " more faults\n";
  text.pop_back();
  return text;
}

std::optional<EmulationError> EmulatedKernel::launch(const BoundArguments &arguments,
                                                     const EmulationOptions &options) {
  int64_t blocks = 0;
  if (std::optional<std::string> error = countBlocks(kernel, arguments, blocks))
    return EmulationError{false, *error};
  statistics = {};
  if (blocks == 0)
    return std::nullopt;
  LaunchConfig config;
  config.grid = {static_cast<uint32_t>(blocks), 1, 1};
  config.block = {static_cast<uint32_t>(kernel.threads), 1, 1};
  config.dynamicShared = static_cast<uint64_t>(kernel.sharedBytes);
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
    KernelArguments parameters(*program);
    const std::vector<int64_t> &slots = tensors.getSlots();
    if (!parameters.add(slots.data(), slots.size() * sizeof(int64_t)) ||
        parameters.count() != program->parameters.size())
      return EmulationError{true, "the kernel `" + kernel.info.name +
                                      "` does not take one parameter of " +
                                      std::to_string(slots.size() * sizeof(int64_t)) + " bytes"};
    LaunchResult result = device.launch(*program, config, parameters.getBytes(), launchOptions);
    if (!result.succeeded)
      return EmulationError{true, formatFaults(kernel, result.faults)};
    if (isFirst)
      statistics = result.statistics;
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
