//===- Decode.cpp - Lays out entries and decodes their instructions -------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/ProgramBuilder.h"
#include "runtime/emulator/Windows.h"

#include <algorithm>

namespace attnc::emu {
namespace {

/// Bytes of the registers of one function, for a warp.
constexpr uint32_t maximumFrameBytes = 1 << 24;

uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}

/// A name for a variable of a function, unique in the program.
std::string functionKey(const Function &function, std::string_view name, size_t index) {
  return function.name + "/" + std::string(name) + "/" + std::to_string(index);
}

} // namespace

std::string_view getClassName(InstructionClass kind) {
  constexpr std::string_view names[] = {
      "integer",        "float",       "half",         "double",     "special function",
      "conversion",     "move",        "predicate",    "control",    "global load",
      "global store",   "shared load", "shared store", "local load", "local store",
      "parameter load", "atomic",      "async copy",   "matrix",     "exchange",
      "barrier",        "fence"};
  return names[static_cast<size_t>(kind)];
}

const InstructionTable &getInstructionTable() {
  static const InstructionTable table = [] {
    InstructionTable built;
    registerInteger(built);
    registerBits(built);
    registerFloat(built);
    registerApproximate(built);
    registerConvert(built);
    registerCompare(built);
    registerMove(built);
    registerMemory(built);
    registerAtomic(built);
    registerAsync(built);
    registerMatrix(built);
    registerExchange(built);
    registerControl(built);
    registerRefused(built);
    return built;
  }();
  return table;
}

ProgramBuilder::ProgramBuilder(std::shared_ptr<const ModuleAst> module,
                               const GlobalAddresses &globals, Program &program,
                               std::vector<Diagnostic> &diagnostics,
                               std::set<std::string> &reported)
    : module(std::move(module)), globals(globals), program(program), diagnostics(diagnostics),
      reported(reported) {}

void ProgramBuilder::report(const DecodeError &error) {
  failed = true;
  std::string key = error.key.empty() ? std::to_string(error.location.line) + ":" +
                                            std::to_string(error.location.column) + error.message
                                      : error.key;
  if (reported.insert(key).second)
    diagnostics.push_back({error.location, error.message});
}

uint32_t ProgramBuilder::constantRow(uint64_t low, unsigned width) {
  auto [place, isNew] = constantRows.try_emplace({low, width}, 0);
  if (isNew) {
    // Rows are 32 lanes wide; the vector holds 64-bit words.
    place->second = static_cast<uint32_t>(program.constants.size() * sizeof(uint64_t));
    if (width == 4) {
      uint64_t pair = (low & 0xFFFFFFFF) | low << 32;
      program.constants.insert(program.constants.end(), 16, pair);
    } else if (width == 8) {
      program.constants.insert(program.constants.end(), 32, low);
    } else {
      for (unsigned lane = 0; lane < 32; ++lane) {
        program.constants.push_back(low);
        program.constants.push_back(0);
      }
    }
  }
  return place->second;
}

uint32_t ProgramBuilder::specialRow(std::string_view name, uint8_t &width, bool &isDynamic) {
  constexpr std::string_view wide[] = {"%clock64", "%globaltimer", "%gridid",
                                       "%current_graph_exec"};
  constexpr std::string_view unmodelled[] = {"%envreg", "%pm", "%current_graph_exec",
                                             "%reserved_smem"};
  for (std::string_view prefix : unmodelled)
    if (name.substr(0, prefix.size()) == prefix)
      return ~0u;
  width = std::find(std::begin(wide), std::end(wide), name) != std::end(wide) ? 8 : 4;
  isDynamic = name.substr(0, 6) == "%clock" || name.substr(0, 12) == "%globaltimer";
  auto [place, isNew] = specialRows.try_emplace(std::string(name), 0);
  if (isNew) {
    place->second = static_cast<uint32_t>(program.specials.size() * 32 * 8);
    program.specials.push_back({std::string(name), width});
  }
  return place->second;
}

bool ProgramBuilder::findSymbol(std::string_view name, uint32_t scope, Symbol &symbol) {
  const Function &function = *current;
  for (uint32_t at = scope;; at = function.scopes[at].parent) {
    auto found = function.scopes[at].variables.find(name);
    if (found != function.scopes[at].variables.end()) {
      const Variable &variable = function.variables[found->second];
      std::string key = functionKey(function, name, found->second);
      if (variable.space == Space::Shared) {
        placeShared(variable, key);
        symbol = {Symbol::Kind::Shared, sharedOffsets[key]};
        return true;
      }
      if (variable.space == Space::Local || variable.space == Space::Param) {
        symbol = {variable.space == Space::Local ? Symbol::Kind::Local
                                                 : Symbol::Kind::FunctionParameter,
                  frameOffsets[currentNumber][key]};
        return true;
      }
      auto global = globals.find(function.name + "/" + std::string(name));
      if (global == globals.end())
        return false;
      symbol = {Symbol::Kind::Global, global->second};
      return true;
    }
    if (at == 0)
      break;
  }
  if (function.isEntry) {
    for (const PlacedVariable &parameter : program.parameters) {
      if (parameter.name == name) {
        symbol = {Symbol::Kind::EntryParameter, parameter.offset};
        return true;
      }
    }
  } else {
    auto found = frameOffsets[currentNumber].find(name);
    if (found != frameOffsets[currentNumber].end()) {
      symbol = {Symbol::Kind::FunctionParameter, found->second};
      return true;
    }
  }
  for (const Variable &variable : module->variables) {
    if (variable.name != name)
      continue;
    if (variable.space == Space::Shared) {
      placeShared(variable, variable.name);
      symbol = {Symbol::Kind::Shared, sharedOffsets[variable.name]};
      return true;
    }
    auto global = globals.find(name);
    if (global == globals.end())
      return false;
    symbol = {Symbol::Kind::Global, global->second};
    return true;
  }
  return false;
}

void ProgramBuilder::placeShared(const Variable &variable, const std::string &key) {
  if (sharedOffsets.count(key))
    return;
  // Everything was placed by layOutShared; only unreachable names come here.
  sharedOffsets[key] = program.staticShared;
}

/// Places the shared variables that the entry and its callees name, then the dynamic ones behind
/// them.
void ProgramBuilder::layOutShared() {
  std::set<std::string, std::less<>> used;
  for (const Function *function : functions) {
    std::function<void(const AstOperand &)> visit = [&](const AstOperand &operand) {
      if (operand.kind == AstOperand::Kind::Symbol)
        used.insert(operand.name);
      for (const AstOperand &part : operand.parts)
        visit(part);
    };
    for (const AstInstruction &instruction : function->body)
      for (const AstOperand &operand : instruction.operands)
        visit(operand);
  }
  uint64_t end = 0;
  std::vector<std::pair<const Variable *, std::string>> dynamic;
  auto place = [&](const Variable &variable, std::string key) {
    if (variable.isExternal || variable.size == 0) {
      dynamic.emplace_back(&variable, std::move(key));
      return;
    }
    end = alignTo(end, variable.alignment);
    sharedOffsets[key] = end;
    program.shared.push_back({variable.name, end, variable.size});
    end += variable.size;
  };
  for (const Variable &variable : module->variables)
    if (variable.space == Space::Shared && used.count(variable.name))
      place(variable, variable.name);
  for (const Function *function : functions)
    for (size_t i = 0; i < function->variables.size(); ++i)
      if (function->variables[i].space == Space::Shared)
        place(function->variables[i], functionKey(*function, function->variables[i].name, i));
  program.staticShared = end;
  uint64_t alignment = 1;
  for (const auto &[variable, key] : dynamic)
    alignment = std::max<uint64_t>(alignment, variable->alignment);
  program.dynamicSharedOffset = alignTo(end, alignment);
  program.usesDynamicShared = !dynamic.empty();
  for (const auto &[variable, key] : dynamic) {
    sharedOffsets[key] = program.dynamicSharedOffset;
    program.shared.push_back({variable->name, program.dynamicSharedOffset, 0});
  }
}

bool ProgramBuilder::findLabel(std::string_view name, uint32_t scope, uint32_t &target) const {
  for (uint32_t at = scope;; at = current->scopes[at].parent) {
    auto found = current->scopes[at].labels.find(name);
    if (found != current->scopes[at].labels.end()) {
      target = program.functions[currentNumber].entry + found->second;
      return true;
    }
    if (at == 0)
      return false;
  }
}

const std::vector<AstOperand> *ProgramBuilder::findBranchTargets(std::string_view name,
                                                                 uint32_t scope) const {
  for (uint32_t at = scope;; at = current->scopes[at].parent) {
    auto found = current->scopes[at].branchTargets.find(name);
    if (found != current->scopes[at].branchTargets.end())
      return &found->second;
    if (at == 0)
      return nullptr;
  }
}

int ProgramBuilder::functionNumber(std::string_view name) {
  for (size_t i = 0; i < functions.size(); ++i)
    if (functions[i]->name == name)
      return static_cast<int>(i);
  return -1;
}

bool ProgramBuilder::localOffset(uint32_t function, std::string_view name, uint32_t scope,
                                 uint32_t &offset, uint32_t &size) const {
  const Function &owner = *functions[function];
  for (uint32_t at = scope;; at = owner.scopes[at].parent) {
    auto found = owner.scopes[at].variables.find(name);
    if (found != owner.scopes[at].variables.end()) {
      auto place = frameOffsets[function].find(functionKey(owner, name, found->second));
      if (place == frameOffsets[function].end())
        return false;
      offset = place->second;
      size = static_cast<uint32_t>(owner.variables[found->second].size);
      return true;
    }
    if (at == 0)
      return false;
  }
}

bool ProgramBuilder::parameterOffset(uint32_t function, std::string_view name,
                                     uint32_t &offset) const {
  auto found = frameOffsets[function].find(name);
  if (found == frameOffsets[function].end())
    return false;
  offset = found->second;
  return true;
}

void ProgramBuilder::layOutFrame(uint32_t number) {
  const Function &function = *functions[number];
  FunctionInfo &info = program.functions[number];
  info.name = function.name;
  info.registerNames = function.registers;
  info.registers = static_cast<uint32_t>(function.registers.size());
  uint32_t end = 0;
  info.registerOffsets.resize(function.registers.size());
  for (size_t i = 0; i < function.registers.size(); ++i) {
    if (function.registers[i].type != Type::Pred)
      continue;
    info.registerOffsets[i] = end;
    end += 4;
  }
  end = static_cast<uint32_t>(alignTo(end, 128));
  for (size_t i = 0; i < function.registers.size(); ++i) {
    Type type = function.registers[i].type;
    if (type == Type::Pred)
      continue;
    info.registerOffsets[i] = end;
    end += 32 * std::max(getTypeSize(type), 4u);
  }
  if (end > maximumFrameBytes)
    throw DecodeError{function.location, "function `" + function.name + "` has too many registers",
                      ""};
  info.frameBytes = end;

  auto &offsets = frameOffsets[number];
  uint64_t local = 0;
  auto place = [&](const Variable &variable, const std::string &key) {
    local = alignTo(local, std::max<uint64_t>(variable.alignment, 1));
    offsets[key] = static_cast<uint32_t>(local);
    info.locals.push_back(variable);
    info.locals.back().initializer.clear();
    info.localOffsets.push_back(static_cast<uint32_t>(local));
    local += variable.size;
  };
  if (!function.isEntry) {
    for (const Variable &variable : function.parameters)
      place(variable, variable.name);
    for (const Variable &variable : function.results)
      place(variable, variable.name);
  }
  for (size_t i = 0; i < function.variables.size(); ++i) {
    const Variable &variable = function.variables[i];
    if (variable.space == Space::Local || variable.space == Space::Param)
      place(variable, functionKey(function, variable.name, i));
  }
  local = alignTo(local, 16);
  if (local > (uint64_t(1) << 20))
    throw DecodeError{function.location,
                      "local memory of `" + function.name + "` is larger than 1 MiB", ""};
  info.localBytes = static_cast<uint32_t>(local);
}

bool ProgramBuilder::build(const Function &entry) {
  program.name = entry.name;
  program.module = module;
  program.requiredThreads = entry.requiredThreads;
  program.maximumThreads = entry.maximumThreads;
  program.requiredCluster = entry.requiredCluster;
  uint64_t offset = 0;
  for (const Variable &parameter : entry.parameters) {
    offset = alignTo(offset, parameter.alignment);
    program.parameters.push_back({parameter.name, offset, parameter.size});
    offset += parameter.size;
  }
  program.parameterBytes = offset;

  // All functions reached by direct calls, in the order found.
  functions.push_back(&entry);
  uint32_t start = 0;
  for (size_t i = 0; i < functions.size(); ++i) {
    for (const AstInstruction &instruction : functions[i]->body) {
      if (instruction.opcode.substr(0, 4) != "call")
        continue;
      for (const AstOperand &operand : instruction.operands) {
        if (operand.kind != AstOperand::Kind::Symbol)
          continue;
        for (const Function &callee : module->functions)
          if (callee.name == operand.name && callee.hasBody && !callee.isEntry &&
              functionNumber(callee.name) < 0)
            functions.push_back(&callee);
        break;
      }
    }
  }
  program.functions.resize(functions.size());
  frameOffsets.resize(functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    program.functions[i].entry = start;
    start += static_cast<uint32_t>(functions[i]->body.size()) + 1;
    try {
      layOutFrame(static_cast<uint32_t>(i));
    } catch (const DecodeError &error) {
      report(error);
      return false;
    }
  }
  layOutShared();
  for (size_t i = 0; i < functions.size(); ++i)
    decodeFunction(static_cast<uint32_t>(i));
  return !failed;
}

void ProgramBuilder::decodeFunction(uint32_t number) {
  current = functions[number];
  currentNumber = number;
  const InstructionTable &table = getInstructionTable();
  for (const AstInstruction &source : current->body) {
    Instruction instruction;
    instruction.line = source.location.line;
    instruction.function = number;
    instruction.sourceFile = source.sourceFile;
    instruction.sourceLine = source.sourceLine;
    size_t first = program.registerLists.size();
    if (source.guarded) {
      instruction.isGuarded = true;
      instruction.guardNegated = source.guardNegated;
      instruction.guard = program.functions[number].registerOffsets[source.guard];
      instruction.guardNumber = source.guard;
    }
    try {
      Decoder decoder(*this, source, instruction);
      auto entry = table.find(decoder.name());
      if (entry == table.end())
        throw DecodeError{source.location, "unknown instruction `" + source.opcode + "`",
                          "unknown " + source.opcode};
      entry->second(decoder);
      decoder.finishModifiers();
    } catch (const DecodeError &error) {
      report(error);
    }
    // The list holds reads and writes mixed, writes marked in the top bit.
    auto begin = program.registerLists.begin() + static_cast<std::ptrdiff_t>(first);
    auto middle = std::partition(begin, program.registerLists.end(),
                                 [](uint32_t entry) { return entry < 0x80000000u; });
    instruction.firstRead = static_cast<uint32_t>(first);
    instruction.reads = static_cast<uint16_t>(middle - begin);
    instruction.firstWrite = static_cast<uint32_t>(first + instruction.reads);
    instruction.writes = static_cast<uint16_t>(program.registerLists.end() - middle);
    for (auto entry = middle; entry != program.registerLists.end(); ++entry)
      *entry &= 0x7FFFFFFFu;
    program.instructions.push_back(instruction);
  }
  // Falling off the end returns.
  Instruction end;
  end.control = Control::Return;
  end.kind = InstructionClass::Control;
  end.function = number;
  end.line = current->body.empty() ? current->location.line : current->body.back().location.line;
  program.instructions.push_back(end);
  if (!failed)
    findBypasses(program, number);
}

bool decodeModule(const std::shared_ptr<const ModuleAst> &module, const GlobalAddresses &globals,
                  std::vector<std::unique_ptr<Program>> &programs,
                  std::vector<Diagnostic> &diagnostics) {
  std::set<std::string> reported;
  bool succeeded = true;
  for (const Function &function : module->functions) {
    if (!function.isEntry || !function.hasBody)
      continue;
    auto program = std::make_unique<Program>();
    ProgramBuilder builder(module, globals, *program, diagnostics, reported);
    succeeded &= builder.build(function);
    programs.push_back(std::move(program));
  }
  return succeeded;
}

} // namespace attnc::emu
