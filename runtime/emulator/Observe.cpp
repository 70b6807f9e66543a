//===- Observe.cpp - Statistics, traces, breaks and watches of a warp -----===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Block.h"
#include "runtime/emulator/Warp.h"
#include "runtime/emulator/Windows.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <ostream>

namespace attnc::emu {
namespace {

std::string formatMask(uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", mask);
  return text;
}

} // namespace

/// The values of `name` in all lanes of `active`, as hex and, for 32-bit registers, as float.
std::string Warp::formatRegister(const std::string &name, uint32_t active) const {
  const FunctionInfo &function = program.functions[current->function];
  for (size_t i = 0; i < function.registerNames.size(); ++i) {
    if (function.registerNames[i].name != name)
      continue;
    const uint8_t *row = registerFile + current->frame + function.registerOffsets[i];
    Type type = function.registerNames[i].type;
    if (type == Type::Pred) {
      uint32_t mask;
      std::memcpy(&mask, row, 4);
      return name + " = " + formatMask(mask & active);
    }
    unsigned width = std::max(getTypeSize(type), 4u);
    std::string text = name + " =";
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(active >> lane & 1))
        continue;
      char value[80];
      if (width == 4) {
        uint32_t bits;
        std::memcpy(&bits, row + lane * 4, 4);
        std::snprintf(value, sizeof value, " [%u]0x%08x(%d,%g)", lane, bits,
                      static_cast<int32_t>(bits), static_cast<double>(std::bit_cast<float>(bits)));
      } else {
        uint64_t bits;
        std::memcpy(&bits, row + size_t(lane) * width, 8);
        std::snprintf(value, sizeof value, " [%u]0x%016llx", lane,
                      static_cast<unsigned long long>(bits));
      }
      text += value;
    }
    return text;
  }
  return name + " is not a register of `" + function.name + "`";
}

void Warp::observe(const Instruction &instruction, uint32_t active, bool before) {
  if (before && launch.options.statistics) {
    auto kind = static_cast<size_t>(instruction.kind);
    ++block.statistics.warpInstructions[kind];
    block.statistics.laneInstructions[kind] += static_cast<unsigned>(std::popcount(active));
  }
  const Observation *observation = launch.options.observation;
  if (!observation || !observation->stream)
    return;
  std::string text;
  bool isTraced = observation->trace && observation->trace->first == block.linear &&
                  observation->trace->second == index;
  bool isBreak = std::find(observation->breakLines.begin(), observation->breakLines.end(),
                           instruction.line) != observation->breakLines.end();
  std::string place = "block " + std::to_string(block.linear) + " warp " + std::to_string(index);
  if (before && (isTraced || isBreak))
    text += std::string(isBreak ? "break " : "trace ") + place + " lanes " + formatMask(active) +
            " ptx " + std::to_string(instruction.line) + ": " +
            makeFault(FaultKind::Trap, instruction, "").text + "\n";
  if (isBreak ? before : (isTraced && !before))
    for (const std::string &name : observation->registers)
      text += "  " + formatRegister(name, current->mask) + "\n";
  if (!text.empty())
    *observation->stream << text;
}

void Warp::observeAccess(const Instruction &instruction, uint32_t active, const uint64_t *addresses,
                         unsigned size, bool isWrite, Space space) {
  const Observation *observation = launch.options.observation;
  if (!observation->stream)
    return;
  for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    for (uint64_t watched : observation->watches) {
      if (watched < addresses[lane] || watched - addresses[lane] >= size)
        continue;
      char text[96];
      std::snprintf(
          text, sizeof text, "watch %s 0x%llx+%u %s by ", std::string(getSpaceName(space)).c_str(),
          static_cast<unsigned long long>(addresses[lane]), size, isWrite ? "written" : "read");
      *observation->stream << text << "block " << block.linear << " warp " << index << " lane "
                           << lane << " ptx " << instruction.line << ": "
                           << makeFault(FaultKind::Trap, instruction, "").text << "\n";
    }
  }
}

} // namespace attnc::emu
