//===- InstructionsAsync.cpp - cp.async and its groups --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Block.h"
#include "runtime/emulator/Lanes.h"

#include <algorithm>

namespace attnc::emu {
namespace {

/// a = destination, b = source, c = source size, m = ignore predicate; offset and immediate are the
/// two offsets.
void runCopy(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint8_t sizes[32];
  std::fill_n(sizes, 32, instruction.size);
  if (instruction.c.isPresent()) {
    uint32_t scratch[32];
    const uint32_t *given = warp.read32(instruction.c, scratch);
    for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
      auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      if (given[lane] > instruction.size)
        warp.report(FaultKind::InvalidOperand,
                    "source size " + std::to_string(given[lane]) + " is more than " +
                        std::to_string(instruction.size),
                    static_cast<int>(lane));
      else
        sizes[lane] = static_cast<uint8_t>(given[lane]);
    }
  }
  if (instruction.m.isPresent()) {
    uint32_t ignored = warp.readPredicate(instruction.m);
    for (unsigned lane = 0; lane < 32; ++lane)
      if (ignored >> lane & 1)
        sizes[lane] = 0;
  }
  LanePointers destination;
  uint32_t good =
      warp.resolve(instruction, active, instruction.a, instruction.offset, instruction.size,
                   Space::Shared, AccessKind::AsyncWrite, destination);
  // A source of no bytes may be anywhere; a short one needs only its own bytes.
  uint32_t whole = 0, shortened = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    whole |= uint32_t(sizes[lane] == instruction.size) << lane;
    shortened |= uint32_t(sizes[lane] > 0 && sizes[lane] < instruction.size) << lane;
  }
  LanePointers source;
  uint32_t sound = 0;
  auto offset = static_cast<int64_t>(instruction.immediate);
  if (good & whole)
    sound = warp.resolve(instruction, good & whole, instruction.b, offset, instruction.size,
                         Space::Global, AccessKind::Read, source);
  for (uint32_t lanes = good & shortened; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    LanePointers one;
    bool isSound = warp.resolveBytes(instruction, lane, instruction.b, offset, sizes[lane],
                                     instruction.size, one);
    source.pointer[lane] = one.pointer[lane];
    sound |= uint32_t(isSound) << lane;
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((good & (whole | shortened) & ~sound) >> lane & 1)
      sizes[lane] = 0;
  warp.issueCopies(instruction, good, source, destination.address, sizes);
}

void runCommit(Warp &warp, const Instruction &, uint32_t active) { warp.commitCopies(active); }

/// immediate: the newest groups that may stay pending; mode 1 is wait_all.
void runWait(Warp &warp, const Instruction &instruction, uint32_t active) {
  if (instruction.mode)
    warp.commitCopies(active);
  warp.waitCopies(active, static_cast<uint32_t>(instruction.immediate));
}

void decodeAsync(Decoder &decoder) {
  Instruction &out = decoder.out;
  if (!decoder.take("async"))
    decoder.refuse("only cp.async is modelled");
  if (decoder.has("bulk"))
    decoder.refuse("bulk copies need sm_90");
  if (decoder.has("mbarrier"))
    decoder.refuse("mbarriers need sm_90");
  out.kind = InstructionClass::AsyncCopy;
  if (decoder.take("commit_group")) {
    decoder.expectOperands(0, 0);
    out.handler = &runCommit;
    return;
  }
  if (decoder.take("wait_group")) {
    decoder.expectOperands(1, 1);
    out.immediate = decoder.immediate(0, "the number of groups");
    out.handler = &runWait;
    return;
  }
  if (decoder.take("wait_all")) {
    decoder.expectOperands(0, 0);
    out.mode = 1;
    out.handler = &runWait;
    return;
  }
  int cache = decoder.takeOneOf({"ca", "cg"});
  if (decoder.has("shared::cluster"))
    decoder.refuse("clusters");
  if (cache < 0 || decoder.takeOneOf({"shared", "shared::cta"}) < 0 || !decoder.take("global"))
    decoder.failUnknown();
  bool hasPolicy = decoder.has("L2::cache_hint");
  decoder.takeCacheHints();
  decoder.expectOperands(3, 5);
  decoder.address(decoder.at(0), Space::Shared, out.a, out.offset);
  int64_t offset = 0;
  decoder.address(decoder.at(1), Space::Global, out.b, offset);
  out.immediate = static_cast<uint64_t>(offset);
  uint64_t size = decoder.immediate(2, "the size");
  if ((size != 4 && size != 8 && size != 16) || (cache == 1 && size != 16))
    decoder.fail("size " + std::to_string(size) + " is not one of `" + decoder.source.opcode + "`");
  out.size = static_cast<uint8_t>(size);
  size_t last = decoder.operandCount() - (hasPolicy ? 1 : 0);
  if (hasPolicy)
    decoder.value(last, Type::B64);
  if (last == 4) {
    const AstOperand &extra = decoder.at(3);
    bool isPredicate =
        extra.kind == AstOperand::Kind::Register && decoder.registerType(extra) == Type::Pred;
    if (isPredicate)
      out.m = decoder.predicate(extra);
    else
      out.c = decoder.value(extra, Type::U32);
  }
  out.space = Space::Global;
  out.handler = &runCopy;
}

} // namespace

void registerAsync(InstructionTable &table) { table["cp"] = decodeAsync; }

} // namespace attnc::emu
