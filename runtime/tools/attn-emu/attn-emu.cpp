//===- attn-emu.cpp - Runs kernels of PTX files on the CPU ----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/tools/attn-emu/Arguments.h"
#include "runtime/tools/attn-emu/Options.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <new>

using namespace attnc::emu;

namespace {

int fail(const std::string &message) {
  std::cerr << "attn-emu: error: " << message << "\n";
  return 2;
}

std::string describeShape(const Argument &argument) {
  std::string text = argument.type + "[";
  for (size_t i = 0; i < argument.shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(argument.shape[i]);
  return text + "]";
}

/// Makes the buffers hold their first contents.
bool resetBuffers(Device &device, std::vector<Argument> &arguments) {
  for (Argument &argument : arguments) {
    if (!argument.isBuffer)
      continue;
    if (argument.address)
      device.release(argument.address);
    argument.address = device.allocate(argument.bytes.size(), argument.name);
    if (!argument.address)
      return false;
    size_t count = 1;
    for (int64_t size : argument.shape)
      count *= static_cast<size_t>(size);
    device.describe(argument.address, describeShape(argument),
                    count ? static_cast<unsigned>(argument.bytes.size() / count) : 1);
    if (!argument.isUninitialized)
      device.copyToDevice(argument.address, argument.bytes.data(), argument.bytes.size());
  }
  return true;
}

void printKernels(const Module &module) {
  for (const std::string &name : module.getKernelNames()) {
    const Program &program = *module.findKernel(name);
    std::cout << name << "\n";
    for (const PlacedVariable &parameter : program.parameters)
      std::cout << "  " << parameter.name << ": " << parameter.size << " bytes\n";
    std::cout << "  shared memory: " << program.staticShared << " bytes"
              << (program.usesDynamicShared ? " and dynamic" : "") << "\n";
  }
}

/// Results of one schedule, to compare with the first.
using Contents = std::vector<std::vector<uint8_t>>;

Contents readBuffers(const Device &device, const std::vector<Argument> &arguments) {
  Contents contents;
  for (const Argument &argument : arguments) {
    contents.emplace_back(argument.isBuffer ? argument.bytes.size() : 0);
    if (argument.isBuffer)
      device.copyToHost(contents.back().data(), argument.address, contents.back().size());
  }
  return contents;
}

int runSchedules(const Options &options, Device &device, const Program &program,
                 std::vector<Argument> &arguments) {
  Contents first;
  std::vector<Fault> faults;
  bool hasFailed = false;
  Statistics statistics;
  for (size_t i = 0; i < options.schedules.size(); ++i) {
    if (!resetBuffers(device, arguments))
      return fail("no memory for the buffers");
    std::vector<uint8_t> parameters;
    if (auto error = packArguments(program, arguments, parameters))
      return fail(*error);
    LaunchOptions launch = options.launch;
    launch.schedule = options.schedules[i];
    LaunchResult result = device.launch(program, options.config, parameters, launch);
    hasFailed |= !result.succeeded;
    faults.insert(faults.end(), result.faults.begin(), result.faults.end());
    statistics = result.statistics;
    Contents contents = readBuffers(device, arguments);
    if (i == 0) {
      first = std::move(contents);
      continue;
    }
    for (size_t j = 0; j < arguments.size(); ++j) {
      auto differs = std::mismatch(first[j].begin(), first[j].end(), contents[j].begin());
      if (differs.first == first[j].end() || options.launch.perturbApproximations)
        continue;
      std::cerr << "note: byte " << differs.first - first[j].begin() << " of `" << arguments[j].name
                << "` depends on the schedule: " << formatSchedule(options.schedules[0])
                << " against " << formatSchedule(options.schedules[i]) << "\n";
    }
  }
  if (options.isJson) {
    std::cout << formatFaultsAsJson(faults) << "\n";
  } else {
    for (size_t i = 0; i < std::min(faults.size(), options.maximumReports); ++i)
      std::cerr << formatFault(faults[i]);
    if (faults.size() > options.maximumReports)
      std::cerr << faults.size() - options.maximumReports << " more faults\n";
  }
  if (options.launch.statistics)
    std::cout << formatStatistics(statistics);
  if (!options.outFile.empty()) {
    for (size_t j = 0; j < arguments.size(); ++j)
      if (arguments[j].isBuffer)
        arguments[j].bytes = first[j];
    if (auto error = writeBuffers(options.outFile, arguments))
      return fail(*error);
  }
  return hasFailed ? 1 : 0;
}

int run(int argc, char **argv) {
  Options options;
  std::string error;
  switch (parseOptions(argc, argv, options, error)) {
  case ParseResult::Help:
    std::cout << getUsage();
    return 0;
  case ParseResult::Error:
    return fail(error);
  case ParseResult::Run:
    break;
  }
  std::ifstream file(options.file, std::ios::binary);
  if (!file)
    return fail("cannot read `" + options.file + "`");
  std::string source;
  try {
    source.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  } catch (const std::ios_base::failure &) {
    return fail("cannot read `" + options.file + "`"); // a folder
  }
  Device device;
  std::vector<Diagnostic> diagnostics;
  std::unique_ptr<Module> module = device.loadModule(source, diagnostics);
  for (const Diagnostic &diagnostic : diagnostics)
    std::cerr << formatDiagnostic(options.file, diagnostic) << "\n";
  if (!module)
    return 2;
  if (options.listsKernels) {
    printKernels(*module);
    return 0;
  }
  std::vector<std::string> kernels = module->getKernelNames();
  if (options.entry.empty() && kernels.size() == 1)
    options.entry = kernels[0];
  const Program *program = module->findKernel(options.entry);
  if (!program)
    return fail(options.entry.empty() ? "the file has " + std::to_string(kernels.size()) +
                                            " kernels; choose one with `--entry`"
                                      : "there is no kernel `" + options.entry + "`");
  std::vector<Argument> arguments;
  for (size_t i = 0; i < options.arguments.size(); ++i)
    if (auto problem = parseArgument(options.arguments[i], i, arguments))
      return fail(*problem);
  const Observation &observation = options.observation;
  options.observation.stream = &std::cout;
  if (observation.trace || !observation.breakLines.empty() || !observation.watches.empty())
    options.launch.observation = &options.observation;
  return runSchedules(options, device, *program, arguments);
}

} // namespace

int main(int argc, char **argv) {
  try {
    int status = run(argc, argv);
    return std::cout.flush() ? status : fail("standard output: cannot write");
  } catch (const std::bad_alloc &) {
    return fail("out of memory");
  }
}
