//===- InstructionsExchange.cpp - shfl, vote, match, redux and activemask ---===//
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

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };

void runShuffle(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t scratchA[32], scratchB[32], scratchC[32], out[32];
  const uint32_t *a = warp.read32(instruction.a, scratchA);
  const uint32_t *b = warp.read32(instruction.b, scratchB);
  const uint32_t *c = warp.read32(instruction.c, scratchC);
  uint32_t inRange = 0;
  uint32_t bad = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    out[lane] = 0;
    if (!(active >> lane & 1))
      continue;
    int source = 0;
    auto me = static_cast<int>(lane);
    auto distance = static_cast<int>(b[lane] & 31);
    auto clamp = static_cast<int>(c[lane] & 31);
    auto segment = static_cast<int>(c[lane] >> 8 & 31);
    int last = (me & segment) | (clamp & ~segment);
    int first = me & segment;
    bool holds = false;
    switch (static_cast<Shuffle>(instruction.mode)) {
    case Shuffle::Up:
      source = me - distance;
      holds = source >= last;
      break;
    case Shuffle::Down:
      source = me + distance;
      holds = source <= last;
      break;
    case Shuffle::Butterfly:
      source = me ^ distance;
      holds = source <= last;
      break;
    case Shuffle::Index:
      source = first | (distance & ~segment);
      holds = source <= last;
      break;
    }
    if (!holds)
      source = me;
    inRange |= uint32_t(holds) << lane;
    if (!(active >> source & 1))
      bad |= 1u << lane;
    out[lane] = a[source];
  }
  if (bad && warp.hasChecks())
    warp.report(FaultKind::InactiveLane, "the value comes from a lane that does not take part",
                std::countr_zero(bad));
  warp.write32(instruction.d, out, active);
  warp.writePredicate(instruction.e, inRange, active);
}

void decodeShuffle(Decoder &decoder) {
  if (!decoder.take("sync"))
    decoder.refuse("shfl without .sync was removed from PTX");
  int mode = decoder.takeOneOf({"up", "down", "bfly", "idx"});
  decoder.expectTypeOf({Type::B32});
  if (mode < 0)
    decoder.failUnknown();
  decoder.expectOperands(5, 5);
  decoder.resultWithPredicate(0, Type::B32);
  decoder.out.a = decoder.value(1, Type::B32);
  decoder.out.b = decoder.value(2, Type::B32);
  decoder.out.c = decoder.value(3, Type::B32);
  decoder.out.m = decoder.value(4, Type::B32);
  decoder.out.mode = static_cast<uint8_t>(mode);
  decoder.out.control = Control::Member;
  decoder.out.kind = InstructionClass::Exchange;
  decoder.out.handler = &runShuffle;
}

enum class Vote : uint8_t { All, Any, Uniform, Ballot };

void runVote(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t predicate = warp.readPredicate(instruction.a) & active;
  switch (static_cast<Vote>(instruction.mode)) {
  case Vote::All:
    warp.writePredicate(instruction.d, predicate == active ? ~0u : 0, active);
    break;
  case Vote::Any:
    warp.writePredicate(instruction.d, predicate ? ~0u : 0, active);
    break;
  case Vote::Uniform:
    warp.writePredicate(instruction.d, predicate == active || predicate == 0 ? ~0u : 0, active);
    break;
  case Vote::Ballot: {
    uint32_t out[32];
    std::fill_n(out, 32, predicate);
    warp.write32(instruction.d, out, active);
    break;
  }
  }
}

void decodeVote(Decoder &decoder) {
  if (!decoder.take("sync"))
    decoder.refuse("vote without .sync was removed from PTX");
  int mode = decoder.takeOneOf({"all", "any", "uni", "ballot"});
  Type type = decoder.expectTypeOf({Type::Pred, Type::B32});
  if (mode < 0 || (mode == 3) != (type == Type::B32))
    decoder.failUnknown();
  decoder.expectOperands(3, 3);
  decoder.out.d = mode == 3 ? decoder.result(0, Type::B32) : decoder.predicateResult(decoder.at(0));
  decoder.out.a = decoder.predicate(decoder.at(1));
  decoder.out.m = decoder.value(2, Type::B32);
  decoder.out.mode = static_cast<uint8_t>(mode);
  decoder.out.control = Control::Member;
  decoder.out.kind = InstructionClass::Exchange;
  decoder.out.handler = &runVote;
}

template <class T, bool IsAll>
void runMatch(Warp &warp, const Instruction &instruction, uint32_t active) {
  Stored<T> scratch[32];
  const Stored<T> *a = readRow<T>(warp, instruction.a, scratch);
  uint32_t out[32] = {};
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned other = 0; other < 32; ++other)
      if ((active >> other & 1) && a[other] == a[lane])
        out[lane] |= 1u << other;
  uint32_t agreed = 0;
  if (IsAll) {
    bool isEqual = out[std::countr_zero(active)] == active;
    std::fill_n(out, 32, isEqual ? active : 0);
    agreed = isEqual ? ~0u : 0;
  }
  warp.write32(instruction.d, out, active);
  if (IsAll)
    warp.writePredicate(instruction.e, agreed, active);
}

void decodeMatch(Decoder &decoder) {
  int mode = decoder.takeOneOf({"any", "all"});
  if (mode < 0 || !decoder.take("sync"))
    decoder.failUnknown();
  Type type = decoder.expectTypeOf({Type::B32, Type::B64});
  decoder.expectOperands(3, 3);
  decoder.resultWithPredicate(0, Type::B32);
  decoder.out.a = decoder.value(1, type);
  decoder.out.m = decoder.value(2, Type::B32);
  decoder.out.control = Control::Member;
  decoder.out.kind = InstructionClass::Exchange;
  if (type == Type::B32)
    decoder.out.handler = mode ? &runMatch<uint32_t, true> : &runMatch<uint32_t, false>;
  else
    decoder.out.handler = mode ? &runMatch<uint64_t, true> : &runMatch<uint64_t, false>;
}

/// mode: add, min, max, and, or, xor; bit 7 signed.
void runReduce(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t scratch[32], out[32];
  const uint32_t *a = warp.read32(instruction.a, scratch);
  bool isSignedType = instruction.mode & 0x80;
  uint32_t result = a[std::countr_zero(active)];
  for (uint32_t lanes = active & (active - 1); lanes; lanes &= lanes - 1) {
    uint32_t value = a[std::countr_zero(lanes)];
    bool isLess =
        isSignedType ? static_cast<int32_t>(value) < static_cast<int32_t>(result) : value < result;
    switch (instruction.mode & 0x7F) {
    case 0:
      result += value;
      break;
    case 1:
      result = isLess ? value : result;
      break;
    case 2:
      result = isLess ? result : value;
      break;
    case 3:
      result &= value;
      break;
    case 4:
      result |= value;
      break;
    default:
      result ^= value;
      break;
    }
  }
  std::fill_n(out, 32, result);
  warp.write32(instruction.d, out, active);
}

void decodeReduce(Decoder &decoder) {
  if (!decoder.take("sync"))
    decoder.failUnknown();
  int operation = decoder.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  if (decoder.has("f32"))
    decoder.refuse("redux on f32 needs sm_100");
  Type type = decoder.expectTypeOf({Type::U32, Type::S32, Type::B32});
  if (operation < 0 || (operation >= 3) != (type == Type::B32))
    decoder.failUnknown();
  decoder.expectOperands(3, 3);
  decoder.out.d = decoder.result(0, type);
  decoder.out.a = decoder.value(1, type);
  decoder.out.m = decoder.value(2, Type::B32);
  decoder.out.mode = static_cast<uint8_t>(operation | (type == Type::S32 ? 0x80 : 0));
  decoder.out.control = Control::Member;
  decoder.out.kind = InstructionClass::Exchange;
  decoder.out.handler = &runReduce;
}

void runActiveMask(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint32_t out[32];
  std::fill_n(out, 32, active);
  warp.write32(instruction.d, out, active);
}

void decodeActiveMask(Decoder &decoder) {
  decoder.expectTypeOf({Type::B32});
  decoder.expectOperands(1, 1);
  decoder.out.d = decoder.result(0, Type::B32);
  decoder.out.kind = InstructionClass::Exchange;
  decoder.out.handler = &runActiveMask;
}

} // namespace

void registerExchange(InstructionTable &table) {
  table["shfl"] = decodeShuffle;
  table["vote"] = decodeVote;
  table["match"] = decodeMatch;
  table["redux"] = decodeReduce;
  table["activemask"] = decodeActiveMask;
}

} // namespace attnc::emu
