//===- Warp.cpp - State of a warp, its faults and special registers -------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Warp.h"
#include "runtime/emulator/Block.h"

#include <algorithm>
#include <new>

namespace attnc::emu {

Warp::Warp(Block &block, unsigned index, uint32_t lanes)
    : block(block), launch(block.launch), program(block.launch.program), index(index),
      present(lanes), checks(block.launch.options.checks) {
  Group group;
  group.mask = lanes;
  groups.push_back(group);
  current = &groups[0];
  fillSpecials();
  bases[static_cast<size_t>(Base::Constant)] =
      reinterpret_cast<const uint8_t *>(program.constants.data());
  bases[static_cast<size_t>(Base::Special)] = reinterpret_cast<const uint8_t *>(specialRows.data());
  const FunctionInfo &entry = program.functions[0];
  growLocal(entry.localBytes);
  enterFrame();
}

/// Makes room for the current group's frame and points the bases at it.
void Warp::enterFrame() {
  const FunctionInfo &function = program.functions[current->function];
  size_t needed = size_t(current->frame) + function.frameBytes;
  if (needed > registerCapacity || !registerFile) {
    size_t capacity = std::max<size_t>(needed * 2, 4096);
    if (registerCapacity == 0)
      capacity = std::max<size_t>(needed, 128);
    auto storage = std::make_unique<uint8_t[]>(capacity + 64);
    uint8_t *aligned = storage.get() + (64 - reinterpret_cast<uintptr_t>(storage.get()) % 64) % 64;
    // Registers start as poison.
    std::memset(aligned, block.launch.options.schedule.seed & 1 ? 0xFF : 0x7F, capacity);
    if (registerFile)
      std::memcpy(aligned, registerFile, registerCapacity);
    registerStorage = std::move(storage);
    registerFile = aligned;
    registerCapacity = capacity;
  }
  if (defined.size() < current->registers + function.registers + 1)
    defined.resize(current->registers + function.registers + 1);
  bases[static_cast<size_t>(Base::Frame)] = registerFile + current->frame;
  definedNow = defined.data() + current->registers;
}

void Warp::growLocal(uint32_t bytes) {
  if (bytes <= localCapacity)
    return;
  uint32_t capacity = std::max(bytes, localCapacity * 2);
  std::vector<uint8_t> memory(size_t(capacity) * 32, 0xFF);
  std::vector<uint8_t> written(size_t(capacity) * 32, 0);
  for (unsigned lane = 0; lane < 32 && localCapacity; ++lane) {
    std::memcpy(&memory[size_t(lane) * capacity], &localMemory[size_t(lane) * localCapacity],
                localCapacity);
    std::memcpy(&written[size_t(lane) * capacity], &localWritten[size_t(lane) * localCapacity],
                localCapacity);
  }
  localMemory = std::move(memory);
  localWritten = std::move(written);
  localCapacity = capacity;
}

Dim3 Warp::threadIndex(unsigned lane) const {
  uint32_t linear = index * 32 + lane;
  return {linear % launch.block[0], linear / launch.block[0] % launch.block[1],
          linear / launch.block[0] / launch.block[1]};
}

void Warp::fillSpecials() {
  specialRows.assign(std::max<size_t>(program.specials.size(), 1) * 32, 0);
  auto component = [](const std::string &name) {
    return name.back() == 'x' ? 0 : name.back() == 'y' ? 1 : name.back() == 'z' ? 2 : 3;
  };
  for (size_t i = 0; i < program.specials.size(); ++i) {
    const SpecialRegister &special = program.specials[i];
    const std::string &name = special.name;
    std::string base = name.substr(0, name.find('.'));
    uint64_t *wide = &specialRows[i * 32];
    auto *narrow = reinterpret_cast<uint32_t *>(wide);
    int part = base.size() < name.size() ? component(name) : 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint64_t value = 0;
      uint32_t bit = 1u << lane;
      if (base == "%tid")
        value = part < 3 ? threadIndex(lane)[static_cast<size_t>(part)] : 0;
      else if (base == "%ntid")
        value = part < 3 ? launch.block[static_cast<size_t>(part)] : 1;
      else if (base == "%ctaid")
        value = part < 3 ? block.index[static_cast<size_t>(part)] : 0;
      else if (base == "%nctaid")
        value = part < 3 ? launch.grid[static_cast<size_t>(part)] : 1;
      else if (base == "%nclusterid")
        value = part < 3 ? launch.grid[static_cast<size_t>(part)] : 1;
      else if (base == "%clusterid")
        value = part < 3 ? block.index[static_cast<size_t>(part)] : 0;
      else if (base == "%cluster_nctaid" || base == "%cluster_nctarank")
        value = 1;
      else if (base == "%laneid")
        value = lane;
      else if (base == "%warpid")
        value = index;
      else if (base == "%nwarpid")
        value = (launch.threadsPerBlock() + 31) / 32;
      else if (base == "%smid")
        value = block.linear % launch.properties.multiprocessors;
      else if (base == "%nsmid")
        value = launch.properties.multiprocessors;
      else if (base == "%lanemask_eq")
        value = bit;
      else if (base == "%lanemask_lt")
        value = bit - 1;
      else if (base == "%lanemask_le")
        value = bit | (bit - 1);
      else if (base == "%lanemask_gt")
        value = ~(bit | (bit - 1));
      else if (base == "%lanemask_ge")
        value = ~(bit - 1);
      else if (base == "%dynamic_smem_size")
        value = launch.dynamicShared;
      else if (base == "%total_smem_size" || base == "%aggr_smem_size")
        value = launch.sharedBytes;
      else if (base == "WARP_SZ")
        value = 32;
      if (special.width == 8)
        wide[lane] = value;
      else
        narrow[lane] = static_cast<uint32_t>(value);
    }
  }
}

/// Clocks count executed instructions of the warp.
void Warp::refreshSpecials() {
  for (size_t i = 0; i < program.specials.size(); ++i) {
    const std::string &name = program.specials[i].name;
    if (name.substr(0, 6) != "%clock" && name.substr(0, 12) != "%globaltimer")
      continue;
    uint64_t *wide = &specialRows[i * 32];
    auto *narrow = reinterpret_cast<uint32_t *>(wide);
    uint64_t value = name.substr(name.size() - 3) == "_hi" ? clock >> 32 : clock;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (program.specials[i].width == 8)
        wide[lane] = value;
      else
        narrow[lane] = static_cast<uint32_t>(value);
    }
  }
}

void Warp::write32Slowly(const Operand &operand, const uint32_t *values, uint32_t active) {
  if (!operand.isPresent())
    return;
  uint8_t *target = frame() + operand.offset;
  if (operand.width == 4) {
    auto *row = reinterpret_cast<uint32_t *>(target);
    for (unsigned lane = 0; lane < 32; ++lane)
      row[lane] = active >> lane & 1 ? values[lane] : row[lane];
    return;
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1))
      continue;
    std::memset(target + size_t(lane) * operand.width, 0, operand.width);
    std::memcpy(target + size_t(lane) * operand.width, &values[lane], 4);
  }
}

void Warp::write64(const Operand &operand, const uint64_t *values, uint32_t active) {
  if (!operand.isPresent())
    return;
  uint8_t *target = frame() + operand.offset;
  if (operand.width == 8) {
    auto *row = reinterpret_cast<uint64_t *>(target);
    if (active == ~0u) [[likely]] {
      std::memcpy(row, values, 256);
      return;
    }
    for (unsigned lane = 0; lane < 32; ++lane)
      row[lane] = active >> lane & 1 ? values[lane] : row[lane];
    return;
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1))
      continue;
    if (operand.width == 16)
      std::memset(target + size_t(lane) * 16, 0, 16);
    std::memcpy(target + size_t(lane) * operand.width, &values[lane],
                operand.width < 8 ? operand.width : 8);
  }
}

Fault Warp::makeFault(FaultKind kind, const Instruction &instruction, std::string message) const {
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.kernel = program.name;
  fault.line = instruction.line;
  const std::vector<std::string> &lines = program.module->lines;
  if (instruction.line >= 1 && instruction.line <= lines.size()) {
    const std::string &text = lines[instruction.line - 1];
    size_t first = text.find_first_not_of(" \t");
    size_t last = text.find_last_not_of(" \t\r");
    if (first != std::string::npos)
      fault.text = text.substr(first, std::min<size_t>(last - first + 1, 160));
  }
  if (instruction.sourceLine) {
    fault.sourceLine = instruction.sourceLine;
    auto file = program.module->sourceFiles.find(instruction.sourceFile);
    if (file != program.module->sourceFiles.end())
      fault.sourceFile = file->second;
  }
  fault.block = block.index;
  fault.warp = static_cast<int>(index);
  fault.schedule = block.scheduleText;
  return fault;
}

void Warp::describeThread(Fault &fault, int lane) const {
  fault.lane = lane;
  if (lane >= 0)
    fault.thread = threadIndex(static_cast<unsigned>(lane));
}

void Warp::report(FaultKind kind, std::string message, int lane) {
  report(makeFault(kind, currentInstruction(), std::move(message)), lane);
}

void Warp::report(Fault fault, int lane) {
  describeThread(fault, lane);
  block.faults.add(std::move(fault));
}

std::string Warp::describeWaits() const {
  std::string text;
  for (const Group &group : groups) {
    const Instruction &instruction = program.instructions[group.pc];
    char mask[16];
    std::snprintf(mask, sizeof mask, "%08x", group.mask);
    text += (text.empty() ? "" : "; ") + std::string("lanes ") + mask + " wait at ptx " +
            std::to_string(instruction.line) +
            (group.state == Group::State::AtBarrier  ? " for a barrier"
             : group.state == Group::State::AtMember ? " for lanes of the member mask"
                                                     : " (runnable)");
  }
  return text;
}

bool Warp::isRunnable() const {
  return std::any_of(groups.begin(), groups.end(),
                     [](const Group &group) { return group.state == Group::State::Runnable; });
}

void Warp::reportUndefined(const Instruction &instruction, uint32_t number, uint32_t lanes) {
  const FunctionInfo &function = program.functions[current->function];
  Fault fault = makeFault(FaultKind::UninitializedRegister, instruction,
                          "`" + function.registerNames[number].name + "` was never written");
  fault.allocation = function.registerNames[number].name;
  report(std::move(fault), std::countr_zero(lanes));
}

} // namespace attnc::emu
