//===- InstructionsMemory.cpp - ld, st, prefetch and fences ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Block.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/ProgramBuilder.h"

namespace attnc::emu {
namespace {

/// Instruction::mode of loads: sign-extend.
constexpr uint8_t signExtends = 1;

template <class T>
void loadElements(Warp &warp, const Instruction &instruction, uint32_t good, uint32_t active,
                  const LanePointers &lanes) {
  const Operand *results = &warp.program.operands[instruction.firstOperand];
  constexpr uint64_t poison = ~uint64_t(0);
  for (unsigned element = 0; element < instruction.count; ++element) {
    const Operand &result = results[element];
    uint64_t values[32];
    for (unsigned lane = 0; lane < 32; ++lane) {
      values[lane] = poison;
      if (!(good >> lane & 1))
        continue;
      T value;
      loadRelaxed<T>(&value, lanes.pointer[lane] + element * sizeof(T));
      values[lane] = static_cast<uint64_t>(static_cast<int64_t>(value));
      if constexpr (std::is_unsigned_v<T>)
        values[lane] = static_cast<uint64_t>(value);
    }
    if (result.width == 8) {
      warp.write64(result, values, active);
      continue;
    }
    uint32_t words[32];
    for (unsigned lane = 0; lane < 32; ++lane)
      words[lane] = static_cast<uint32_t>(values[lane]) & (result.isNarrow ? 0xFFFFu : ~0u);
    warp.write32(result, words, active);
  }
}

void load128(Warp &warp, const Instruction &instruction, uint32_t good, const LanePointers &lanes) {
  const Operand &result = warp.program.operands[instruction.firstOperand];
  if (!result.isPresent())
    return;
  uint8_t *target = warp.frame() + result.offset;
  for (uint32_t rest = good; rest; rest &= rest - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(rest));
    loadRelaxed<uint64_t>(target + lane * 16, lanes.pointer[lane]);
    loadRelaxed<uint64_t>(target + lane * 16 + 8, lanes.pointer[lane] + 8);
  }
}

void runLoad(Warp &warp, const Instruction &instruction, uint32_t active) {
  LanePointers lanes;
  unsigned bytes = instruction.size * instruction.count;
  uint32_t good = warp.resolve(instruction, active, instruction.a, instruction.offset, bytes,
                               instruction.space, AccessKind::Read, lanes);
  bool isSignedLoad = instruction.mode & signExtends;
  switch (instruction.size) {
  case 1:
    isSignedLoad ? loadElements<int8_t>(warp, instruction, good, active, lanes)
                 : loadElements<uint8_t>(warp, instruction, good, active, lanes);
    break;
  case 2:
    isSignedLoad ? loadElements<int16_t>(warp, instruction, good, active, lanes)
                 : loadElements<uint16_t>(warp, instruction, good, active, lanes);
    break;
  case 4:
    isSignedLoad ? loadElements<int32_t>(warp, instruction, good, active, lanes)
                 : loadElements<uint32_t>(warp, instruction, good, active, lanes);
    break;
  case 8:
    loadElements<uint64_t>(warp, instruction, good, active, lanes);
    break;
  default:
    load128(warp, instruction, good, lanes);
    break;
  }
  if (instruction.ordering != Ordering::Weak)
    warp.block.strongAccess(warp, good, lanes.address, instruction.ordering, true, false);
}

/// Stores whole words, as loads read them; 16 bytes go as two.
void storeElement(uint8_t *target, const uint8_t *source, unsigned size) {
  auto store = [&]<class T>(unsigned offset) {
    T value;
    std::memcpy(&value, source + offset, sizeof(T));
    __atomic_store_n(reinterpret_cast<T *>(target + offset), value, __ATOMIC_RELAXED);
  };
  switch (size) {
  case 1:
    return store.operator()<uint8_t>(0);
  case 2:
    return store.operator()<uint16_t>(0);
  case 4:
    return store.operator()<uint32_t>(0);
  case 8:
    return store.operator()<uint64_t>(0);
  default:
    store.operator()<uint64_t>(0);
    store.operator()<uint64_t>(8);
  }
}

void runStore(Warp &warp, const Instruction &instruction, uint32_t active) {
  LanePointers lanes;
  unsigned bytes = instruction.size * instruction.count;
  uint32_t good = warp.resolve(instruction, active, instruction.a, instruction.offset, bytes,
                               instruction.space, AccessKind::Write, lanes);
  const Operand *values = &warp.program.operands[instruction.firstOperand];
  for (unsigned element = 0; element < instruction.count; ++element) {
    const uint8_t *row = warp.rowAt(values[element]);
    unsigned width = values[element].width;
    for (uint32_t rest = good; rest; rest &= rest - 1) {
      auto lane = static_cast<unsigned>(std::countr_zero(rest));
      storeElement(lanes.pointer[lane] + element * instruction.size, row + size_t(lane) * width,
                   instruction.size);
    }
  }
  if (instruction.ordering != Ordering::Weak)
    warp.block.strongAccess(warp, good, lanes.address, instruction.ordering, false, true);
}

void decodeAccess(Decoder &decoder) {
  bool isLoad = decoder.name() != "st";
  Instruction &out = decoder.out;
  if (decoder.has("shared::cluster") || decoder.has("async"))
    decoder.refuse("clusters");
  out.ordering = decoder.takeOrdering();
  out.space = decoder.takeSpace();
  bool isReadOnly = decoder.take("nc") || decoder.name() == "ldu";
  out.isReadOnly = isReadOnly && out.space == Space::Global;
  decoder.takeCacheHints();
  decoder.take("unified");
  int vector = decoder.takeOneOf({"v2", "v4", "v8"});
  Type type = decoder.expectType();
  unsigned size = getTypeSize(type);
  bool isAllowed = isInteger(type) || type == Type::F32 || type == Type::F64 || type == Type::F16 ||
                   type == Type::BF16 || type == Type::B128 || type == Type::F16x2 ||
                   type == Type::BF16x2;
  if (!isAllowed || size == 0)
    decoder.failUnknown();
  unsigned count = vector < 0 ? 1 : 2u << vector;
  if (size * count > 16)
    decoder.refuse("vectors of more than 16 bytes need sm_100");
  if (decoder.operandCount() == 3 && decoder.at(2).kind == AstOperand::Kind::Register)
    decoder.value(2, Type::B64); // cache policy
  else
    decoder.expectOperands(2, 2);
  out.size = static_cast<uint8_t>(size);
  out.count = static_cast<uint8_t>(count);
  out.mode = isSigned(type) ? signExtends : 0;
  Type registerType = type == Type::F16x2 || type == Type::BF16x2 ? Type::B32 : type;
  if (isLoad)
    decoder.address(1, out.space);
  size_t first = decoder.builder.getProgram().operands.size();
  decoder.appendVector(decoder.at(isLoad ? 0 : 1), registerType, isLoad, count);
  out.firstOperand = static_cast<uint32_t>(first);
  if (!isLoad)
    decoder.address(0, out.space);
  out.handler = isLoad ? &runLoad : &runStore;
  out.isStore = !isLoad;
  if (!isLoad && out.space == Space::Const)
    decoder.failUnknown();
  switch (out.space) {
  case Space::Shared:
    out.kind = isLoad ? InstructionClass::LoadShared : InstructionClass::StoreShared;
    break;
  case Space::Local:
    out.kind = isLoad ? InstructionClass::LoadLocal : InstructionClass::StoreLocal;
    break;
  case Space::Param:
  case Space::Const:
    out.kind = isLoad ? InstructionClass::LoadParam : InstructionClass::StoreLocal;
    break;
  default:
    out.kind = isLoad ? InstructionClass::LoadGlobal : InstructionClass::StoreGlobal;
    break;
  }
  bool isGlobal = out.space == Space::Global || out.space == Space::Generic;
  if (isGlobal && out.ordering != Ordering::Weak) {
    decoder.builder.getProgram().communicates = true;
    decoder.builder.getProgram().mayWaitForBlocks |= isLoad;
  }
}

void runNothing(Warp &, const Instruction &, uint32_t) {}

void decodePrefetch(Decoder &decoder) {
  if (decoder.has("tensormap"))
    decoder.refuse("tensor maps need sm_90");
  Space space = decoder.takeSpace();
  decoder.takeOneOf({"L1", "L2"});
  decoder.takeCacheHints();
  decoder.expectOperands(1, 2);
  decoder.out.kind = InstructionClass::LoadGlobal;
  decoder.address(0, space);
  decoder.out.handler = &runNothing;
}

void runPolicy(Warp &warp, const Instruction &instruction, uint32_t active) {
  uint64_t out[32] = {};
  warp.write64(instruction.d, out, active);
}

void decodePolicy(Decoder &decoder) {
  decoder.takeOneOf({"fractional", "range"});
  decoder.takeSpace();
  decoder.takeCacheHints();
  decoder.takeCacheHints();
  decoder.expectTypeOf({Type::B64});
  decoder.out.kind = InstructionClass::Move;
  decoder.out.d = decoder.result(0, Type::B64);
  decoder.out.handler = &runPolicy;
}

void runFence(Warp &warp, const Instruction &instruction, uint32_t active) {
  warp.block.fence(warp, active);
}

void decodeFence(Decoder &decoder) {
  decoder.out.kind = InstructionClass::Fence;
  decoder.expectOperands(0, 0);
  if (decoder.name() == "membar") {
    if (decoder.has("proxy"))
      decoder.refuse("proxies need sm_90");
    if (decoder.takeOneOf({"cta", "gl", "sys"}) < 0)
      decoder.failUnknown();
  } else {
    for (std::string_view later : {"proxy", "mbarrier_init", "cluster"})
      if (decoder.has(later))
        decoder.refuse("proxies, mbarriers and clusters need sm_90");
    decoder.takeOneOf({"sc", "acq_rel", "acquire", "release"});
    if (decoder.takeOneOf({"cta", "gpu", "sys"}) < 0)
      decoder.failUnknown();
  }
  decoder.out.handler = &runFence;
}

} // namespace

void registerMemory(InstructionTable &table) {
  table["ld"] = decodeAccess;
  table["ldu"] = decodeAccess;
  table["st"] = decodeAccess;
  table["prefetch"] = decodePrefetch;
  table["prefetchu"] = decodePrefetch;
  table["discard"] = decodePrefetch;
  table["applypriority"] = decodePrefetch;
  table["createpolicy"] = decodePolicy;
  table["fence"] = decodeFence;
  table["membar"] = decodeFence;
}

} // namespace attnc::emu
