//===- Device.cpp - The emulator as a device: buffers, modules, launches ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Device.h"
#include "runtime/emulator/Parser.h"

#include <algorithm>
#include <cstring>

namespace attnc::emu {
namespace {

/// Shared memory of one block on the architecture that the file names.
uint64_t sharedOfTarget(std::string_view target) {
  struct Limit {
    std::string_view target;
    uint64_t kilobytes;
  };
  constexpr Limit limits[] = {{"sm_70", 96},   {"sm_72", 96},   {"sm_75", 64},   {"sm_80", 163},
                              {"sm_86", 99},   {"sm_87", 163},  {"sm_89", 99},   {"sm_90", 227},
                              {"sm_100", 227}, {"sm_103", 227}, {"sm_110", 227}, {"sm_120", 99},
                              {"sm_121", 99}};
  target = target.substr(0, target.find_first_of(","));
  while (!target.empty() && (target.back() == 'a' || target.back() == 'f'))
    target.remove_suffix(1);
  for (const Limit &limit : limits)
    if (limit.target == target)
      return limit.kilobytes * 1024;
  return 48 * 1024;
}

} // namespace

const Program *Module::findKernel(std::string_view name) const {
  for (const auto &program : programs)
    if (program->name == name)
      return program.get();
  return nullptr;
}

std::vector<std::string> Module::getKernelNames() const {
  std::vector<std::string> names;
  for (const auto &program : programs)
    names.push_back(program->name);
  return names;
}

bool KernelArguments::add(const void *value, size_t size) {
  if (next >= program->parameters.size())
    return false;
  const PlacedVariable &parameter = program->parameters[next];
  if (parameter.size != size)
    return false;
  bytes.resize(program->parameterBytes);
  std::memcpy(bytes.data() + parameter.offset, value, size);
  ++next;
  return true;
}

Device::Device() = default;

uint64_t Device::allocate(uint64_t bytes, std::string name, uint64_t misalignment) {
  Allocation *allocation = memory.allocate(bytes, std::move(name), 0xFF, misalignment);
  return allocation ? allocation->base : 0;
}

void Device::describe(uint64_t address, std::string description, unsigned elementSize) {
  if (Allocation *allocation = memory.find(address)) {
    allocation->description = std::move(description);
    allocation->elementSize = elementSize;
  }
}

bool Device::release(uint64_t address) { return memory.release(address); }

bool Device::copyToDevice(uint64_t address, const void *source, uint64_t bytes) {
  if (bytes == 0)
    return true;
  Allocation *allocation = memory.find(address);
  if (!allocation || allocation->isFreed || bytes > allocation->size - (address - allocation->base))
    return false;
  std::memcpy(allocation->data() + (address - allocation->base), source, bytes);
  if (bytes == allocation->size)
    allocation->isAllWritten = true;
  else
    allocation->markWritten(address - allocation->base, bytes);
  return true;
}

bool Device::copyToHost(void *target, uint64_t address, uint64_t bytes) const {
  if (bytes == 0)
    return true;
  const Allocation *allocation = memory.find(address);
  if (!allocation || allocation->isFreed || bytes > allocation->size - (address - allocation->base))
    return false;
  std::memcpy(target, allocation->data() + (address - allocation->base), bytes);
  return true;
}

bool Device::fill(uint64_t address, uint8_t byte, uint64_t bytes) {
  if (bytes == 0)
    return true;
  Allocation *allocation = memory.find(address);
  if (!allocation || allocation->isFreed || bytes > allocation->size - (address - allocation->base))
    return false;
  std::memset(allocation->data() + (address - allocation->base), byte, bytes);
  if (bytes == allocation->size)
    allocation->isAllWritten = true;
  else
    allocation->markWritten(address - allocation->base, bytes);
  return true;
}

bool Device::isWritten(uint64_t address, uint64_t bytes) const {
  const Allocation *allocation = memory.find(address);
  return allocation && !allocation->isFreed &&
         bytes <= allocation->size - (address - allocation->base) &&
         allocation->isWritten(address - allocation->base, bytes);
}

bool Device::placeVariable(const Variable &variable, const std::string &key,
                           GlobalAddresses &globals, std::vector<Diagnostic> &diagnostics) {
  if (variable.space != Space::Global && variable.space != Space::Const)
    return true;
  if (variable.isExternal || globals.count(key)) {
    diagnostics.push_back(
        {variable.location, variable.isExternal ? "`" + variable.name + "` has no size in this file"
                                                : "`" + variable.name + "` is defined twice"});
    return false;
  }
  uint64_t bytes = std::max<uint64_t>(variable.size, 1);
  Allocation *allocation = variable.space == Space::Const
                               ? memory.allocateConstant(bytes, variable.name)
                               : memory.allocate(bytes, variable.name, 0);
  if (!allocation) {
    diagnostics.push_back({variable.location, "no memory for `" + variable.name + "`"});
    return false;
  }
  // Module variables without initialiser are zero.
  allocation->isAllWritten = true;
  globals[key] = allocation->base;
  return true;
}

bool Device::initialize(const Variable &variable, uint64_t address, const GlobalAddresses &globals,
                        std::vector<Diagnostic> &diagnostics) {
  Allocation *allocation = memory.find(address);
  size_t bytes = std::min<size_t>(variable.initializer.size(), allocation->size);
  if (bytes)
    std::memcpy(allocation->data(), variable.initializer.data(), bytes);
  for (const Relocation &relocation : variable.relocations) {
    auto target = globals.find(relocation.symbol);
    if (target == globals.end()) {
      diagnostics.push_back(
          {variable.location, "unknown name `" + relocation.symbol + "` in an initialiser"});
      return false;
    }
    uint64_t value = target->second + static_cast<uint64_t>(relocation.addend);
    size_t size = getTypeSize(variable.type);
    if (relocation.offset + size <= allocation->size)
      std::memcpy(allocation->data() + relocation.offset, &value, std::min<size_t>(size, 8));
  }
  return true;
}

std::unique_ptr<Module> Device::loadModule(std::string_view text,
                                           std::vector<Diagnostic> &diagnostics) {
  auto ast = std::make_shared<ModuleAst>();
  if (!parseModule(text, *ast, diagnostics))
    return nullptr;
  auto module = std::make_unique<Module>();
  std::vector<std::pair<const Variable *, std::string>> variables;
  for (const Variable &variable : ast->variables)
    variables.emplace_back(&variable, variable.name);
  for (const Function &function : ast->functions)
    for (const Variable &variable : function.variables)
      variables.emplace_back(&variable, function.name + "/" + variable.name);
  bool succeeded = true;
  for (const auto &[variable, key] : variables)
    succeeded &= placeVariable(*variable, key, module->globals, diagnostics);
  for (const auto &[variable, key] : variables) {
    auto address = module->globals.find(key);
    if (succeeded && address != module->globals.end())
      succeeded &= initialize(*variable, address->second, module->globals, diagnostics);
  }
  if (!succeeded || !decodeModule(ast, module->globals, module->programs, diagnostics))
    return nullptr;
  return module;
}

std::optional<uint64_t> Device::findVariable(const Module &module, std::string_view name) const {
  auto found = module.globals.find(name);
  if (found == module.globals.end())
    return std::nullopt;
  return found->second;
}

LaunchResult Device::launch(const Program &program, const LaunchConfig &config,
                            const std::vector<uint8_t> &parameters, const LaunchOptions &options) {
  LaunchResult result;
  auto refuse = [&](std::string message) {
    Fault fault;
    fault.kind = FaultKind::Launch;
    fault.message = std::move(message);
    fault.kernel = program.name;
    result.faults.push_back(std::move(fault));
  };
  auto text = [](const auto &dim) {
    return std::to_string(dim[0]) + "x" + std::to_string(dim[1]) + "x" + std::to_string(dim[2]);
  };
  uint64_t threads = uint64_t(config.block[0]) * config.block[1] * config.block[2];
  for (size_t i = 0; i < 3; ++i) {
    if (config.grid[i] == 0 || config.grid[i] > properties.maximumGrid[i])
      refuse("grid " + text(config.grid) + " is outside 1x1x1.." + text(properties.maximumGrid));
    if (config.block[i] == 0 || config.block[i] > properties.maximumBlock[i])
      refuse("block " + text(config.block) + " is outside 1x1x1.." + text(properties.maximumBlock));
    if (program.requiredThreads[0] && config.block[i] != program.requiredThreads[i]) {
      refuse("block " + text(config.block) + ", the kernel requires " +
             text(program.requiredThreads));
      break;
    }
  }
  if (threads > properties.threadsPerBlock)
    refuse("a block of " + std::to_string(threads) + " threads, the device allows " +
           std::to_string(properties.threadsPerBlock));
  uint64_t declared =
      program.maximumThreads[0] * program.maximumThreads[1] * program.maximumThreads[2];
  if (declared && threads > declared)
    refuse("a block of " + std::to_string(threads) + " threads, the kernel declares at most " +
           std::to_string(declared));
  if (program.requiredCluster[0] * program.requiredCluster[1] * program.requiredCluster[2] > 1)
    refuse("the kernel requires clusters of " + text(program.requiredCluster) + " blocks");
  uint64_t shared = config.dynamicShared || program.usesDynamicShared
                        ? program.dynamicSharedOffset + config.dynamicShared
                        : program.staticShared;
  uint64_t sharedLimit =
      std::min(properties.sharedPerBlock, sharedOfTarget(program.module->target));
  if (shared > sharedLimit)
    refuse(std::to_string(shared) + " bytes of shared memory, target " + program.module->target +
           " allows " + std::to_string(sharedLimit));
  if (parameters.size() != program.parameterBytes)
    refuse(std::to_string(parameters.size()) + " bytes of parameters, the kernel has " +
           std::to_string(program.parameterBytes));
  if (program.parameterBytes > properties.parameterBytes)
    refuse(std::to_string(program.parameterBytes) + " bytes of parameters, the device allows " +
           std::to_string(properties.parameterBytes));
  if (!result.faults.empty())
    return result;
  LaunchState state{program,     memory,       properties,           options,
                    config.grid, config.block, config.dynamicShared, shared,
                    parameters};
  LaunchOutcome outcome = runLaunch(state);
  result.faults = outcome.faults.getFaults();
  result.statistics = outcome.statistics;
  result.succeeded =
      std::all_of(result.faults.begin(), result.faults.end(),
                  [&](const Fault &fault) { return isWarning(fault.kind) && !options.strict; });
  return result;
}

std::string formatDiagnostic(std::string_view file, const Diagnostic &diagnostic) {
  return std::string(file) + ":" + std::to_string(diagnostic.location.line) + ":" +
         std::to_string(diagnostic.location.column) + ": error: " + diagnostic.message;
}

} // namespace attnc::emu
