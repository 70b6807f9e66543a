//===- Bypasses.cpp - Where lanes come out that went round an aligned instruction ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Program.h"

#include <algorithm>
#include <set>

namespace attnc::emu {
namespace {

constexpr uint32_t none = ~0u;

/// The control flow of one function, with the immediate post-dominators of its instructions (by the
/// iteration of Cooper, Harvey and Kennedy on the reversed graph). Node `count` is the end.
class ControlFlow {
public:
  ControlFlow(const Program &program, uint32_t first, uint32_t count)
      : program(program), first(first), count(count), successors(count + 1),
        predecessors(count + 1), dominators(count + 1, none), numbers(count + 1, none) {
    for (uint32_t node = 0; node < count; ++node) {
      successors[node] = findSuccessors(node);
      for (uint32_t next : successors[node])
        predecessors[next].push_back(node);
    }
    numberNodes();
    solve();
  }

  const std::vector<uint32_t> &getSuccessors(uint32_t node) const { return successors[node]; }
  /// `none` if no path leads to the end.
  uint32_t getPostDominator(uint32_t node) const { return dominators[node]; }

private:
  std::vector<uint32_t> findSuccessors(uint32_t node) const {
    const Instruction &instruction = program.instructions[first + node];
    std::vector<uint32_t> nodes;
    bool fallsThrough = instruction.isGuarded;
    switch (instruction.control) {
    case Control::Branch:
      nodes.push_back(instruction.target - first);
      break;
    case Control::BranchIndexed:
      for (uint32_t target : program.branchTables[instruction.extra])
        nodes.push_back(target - first);
      break;
    case Control::Return:
    case Control::Exit:
    case Control::Trap:
      // Nobody waits for lanes that end: a guarded end is no other path.
      if (!fallsThrough)
        nodes.push_back(count);
      break;
    default:
      fallsThrough = true;
      break;
    }
    if (fallsThrough)
      nodes.push_back(node + 1);
    return nodes;
  }

  /// Reverse postorder of a walk against the edges from the end.
  void numberNodes() {
    std::vector<std::pair<uint32_t, size_t>> stack{{count, 0}};
    std::vector<bool> isSeen(count + 1);
    isSeen[count] = true;
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      if (next == predecessors[node].size()) {
        order.push_back(node);
        stack.pop_back();
        continue;
      }
      uint32_t child = predecessors[node][next++];
      if (isSeen[child])
        continue;
      isSeen[child] = true;
      stack.emplace_back(child, 0);
    }
    std::reverse(order.begin(), order.end());
    for (uint32_t i = 0; i < order.size(); ++i)
      numbers[order[i]] = i;
  }

  uint32_t meet(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (numbers[a] > numbers[b])
        a = dominators[a];
      while (numbers[b] > numbers[a])
        b = dominators[b];
    }
    return a;
  }

  void solve() {
    dominators[count] = count;
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (uint32_t node : order) {
        if (node == count)
          continue;
        uint32_t found = none;
        for (uint32_t next : successors[node])
          if (dominators[next] != none)
            found = found == none ? next : meet(found, next);
        isChanged |= found != dominators[node];
        dominators[node] = found;
      }
    }
  }

  const Program &program;
  const uint32_t first, count;
  std::vector<std::vector<uint32_t>> successors, predecessors;
  std::vector<uint32_t> dominators;
  std::vector<uint32_t> numbers;
  std::vector<uint32_t> order;
};

} // namespace

void findBypasses(Program &program, uint32_t function) {
  uint32_t first = program.functions[function].entry;
  auto count = static_cast<uint32_t>(program.instructions.size()) - first;
  std::vector<uint32_t> aligned;
  for (uint32_t node = 0; node < count; ++node)
    if (program.instructions[first + node].isAligned)
      aligned.push_back(node);
  if (aligned.empty())
    return;
  ControlFlow flow(program, first, count);
  // The branches that decide whether a node is executed; kept for aligned nodes and branches.
  std::map<uint32_t, std::set<uint32_t>> deciders;
  for (uint32_t branch = 0; branch < count; ++branch) {
    const std::vector<uint32_t> &successors = flow.getSuccessors(branch);
    if (successors.size() < 2)
      continue;
    for (uint32_t node : successors)
      for (; node != none && node != count && node != flow.getPostDominator(branch);
           node = flow.getPostDominator(node))
        if (program.instructions[first + node].isAligned || flow.getSuccessors(node).size() > 1)
          deciders[node].insert(branch);
  }
  std::map<std::vector<uint32_t>, uint32_t> entries{{{}, 0}};
  for (uint32_t node : aligned) {
    std::set<uint32_t> branches, places;
    std::vector<uint32_t> work{node};
    while (!work.empty()) {
      auto found = deciders.find(work.back());
      work.pop_back();
      if (found == deciders.end())
        continue;
      for (uint32_t branch : found->second) {
        if (!branches.insert(branch).second)
          continue;
        work.push_back(branch);
        uint32_t place = flow.getPostDominator(branch);
        if (place != none && place != count)
          places.insert(first + place);
      }
    }
    auto [entry, isNew] = entries.try_emplace(std::vector<uint32_t>(places.begin(), places.end()),
                                              static_cast<uint32_t>(program.bypasses.size()));
    if (isNew)
      program.bypasses.push_back(entry->first);
    program.instructions[first + node].target = entry->second;
  }
}

} // namespace attnc::emu
