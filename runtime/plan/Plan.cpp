//===- Plan.cpp - The blocks of pairs that a kernel visits ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/Plan.h"
#include "attnc/ArgumentLayout.h"
#include <algorithm>
#include <cstring>

using namespace attnc;

bool Plan::operator==(const Plan &other) const {
  return rows == other.rows && keys == other.keys && B == other.B && Hq == other.Hq &&
         Q == other.Q && KV == other.KV && perBatch == other.perBatch && perHead == other.perHead &&
         mask == other.mask && scalars == other.scalars && offsets == other.offsets &&
         runs == other.runs;
}

PlanStatistics Plan::count(const KernelInfo &info) const {
  PlanStatistics result;
  double pairs = 0, keysRead = 0;
  for (int64_t row = 0; row < getNumRows(); ++row) {
    int64_t block = row % getNumQueryBlocks(), visited = 0;
    auto queries = static_cast<double>(std::min(rows, Q - block * rows));
    for (uint32_t i = offsets[row]; i < offsets[row + 1]; ++i) {
      const KeyRun &run = runs[i];
      int64_t blocks = run.getLast() - run.getFirst() + 1;
      (run.isFull() ? result.full : result.partial) += blocks;
      visited += blocks;
      int64_t runKeys = std::min((run.getLast() + 1) * keys, KV) - run.getFirst() * keys;
      pairs += queries * static_cast<double>(runKeys);
      keysRead += static_cast<double>(runKeys);
    }
    result.empty += getNumKeyBlocks() - visited;
  }
  double times = 1;
  if (getNumBatches() != 0 && getNumHeads() != 0)
    times = static_cast<double>(B / getNumBatches() * (Hq / getNumHeads()));
  auto columns = static_cast<double>(info.headDim + info.valueDim);
  result.pairs = pairs * times;
  result.flops = 2 * result.pairs * columns;
  result.keyBytes = keysRead * times * columns * static_cast<double>(getSize(info.dtype));
  return result;
}

/// The value of a scalar's slot, for people.
static std::string printScalar(ElementType type, int64_t slot) {
  if (!isFloat(type))
    return std::to_string(slot);
  auto bits = static_cast<uint32_t>(slot);
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return std::to_string(value);
}

std::optional<std::string> Plan::check(const HostKernel &kernel,
                                       const BoundArguments &arguments) const {
  struct Size {
    const char *what;
    int64_t own, given;
    bool matters;
  };
  const MaskPlanner &planner = kernel.planner;
  if (mask != planner.mask || perBatch != planner.perBatch || perHead != planner.perHead ||
      scalars.size() != planner.scalars.size())
    return "the plan was made for another mask than that of kernel `" + kernel.info.name + "`";
  const Size sizes[] = {{"B (batches)", B, arguments.B, perBatch},
                        {"Hq (query heads)", Hq, arguments.Hq, perHead},
                        {"Q (queries)", Q, arguments.Q, true},
                        {"KV (keys)", KV, arguments.KV, true}};
  for (const Size &size : sizes)
    if (size.matters && size.own != size.given)
      return "the plan was made for " + std::string(size.what) + " = " + std::to_string(size.own) +
             ", the launch has " + std::to_string(size.given);
  if (rows > kernel.queryBlock)
    return "the plan has blocks of " + std::to_string(rows) + " queries, kernel `" +
           kernel.info.name + "` takes at most " + std::to_string(kernel.queryBlock) + " a call";
  ArgumentLayout layout(kernel.info);
  for (size_t i = 0; i < scalars.size(); ++i) {
    int64_t place = planner.scalars[i];
    int64_t given = arguments.slots[layout.getScalar(place)];
    ElementType type = kernel.info.scalars[place].type;
    if (given != scalars[i].value)
      return "the plan was made for `" + scalars[i].name +
             "` = " + printScalar(type, scalars[i].value) + ", the launch has " +
             printScalar(type, given);
  }
  return std::nullopt;
}
