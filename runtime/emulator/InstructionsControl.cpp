//===- InstructionsControl.cpp - Branches, calls, barriers, and what is refused by name ---===//
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

void decodeBranch(Decoder &decoder) {
  decoder.out.kind = InstructionClass::Control;
  decoder.take("uni");
  decoder.expectOperands(1, 1);
  decoder.out.target = decoder.label(decoder.at(0));
  decoder.out.control = Control::Branch;
}

void decodeBranchIndexed(Decoder &decoder) {
  decoder.out.kind = InstructionClass::Control;
  if (!decoder.take("idx"))
    decoder.failUnknown();
  decoder.take("uni");
  decoder.expectOperands(2, 2);
  decoder.out.a = decoder.value(0, Type::U32);
  const AstOperand &list = decoder.at(1);
  const std::vector<AstOperand> *targets = decoder.builder.findBranchTargets(list.name, list.scope);
  if (!targets)
    decoder.fail("unknown list of branch targets `" + list.name + "`");
  std::vector<uint32_t> table;
  for (const AstOperand &target : *targets)
    table.push_back(decoder.label(target));
  Program &program = decoder.builder.getProgram();
  decoder.out.extra = static_cast<uint32_t>(program.branchTables.size());
  program.branchTables.push_back(std::move(table));
  decoder.out.control = Control::BranchIndexed;
}

/// call (results), function, (arguments); each part but the function is optional.
void decodeCall(Decoder &decoder) {
  decoder.out.kind = InstructionClass::Control;
  decoder.take("uni");
  size_t at = 0;
  const AstOperand *results = nullptr;
  const AstOperand *arguments = nullptr;
  if (decoder.at(0).kind == AstOperand::Kind::List)
    results = &decoder.at(at++);
  const AstOperand &callee = decoder.at(at++);
  if (at < decoder.operandCount())
    arguments = &decoder.at(at++);
  if (callee.kind != AstOperand::Kind::Symbol || at < decoder.operandCount())
    decoder.refuse("indirect calls");
  int number = decoder.builder.functionNumber(callee.name);
  if (number < 0)
    decoder.fail("function `" + callee.name + "` has no body in this file", "call " + callee.name);
  const Function &target = decoder.builder.functionAt(static_cast<uint32_t>(number));
  if (target.isEntry)
    decoder.fail("`" + callee.name + "` is a kernel");
  CallInfo info;
  info.function = static_cast<uint32_t>(number);
  auto match = [&](const AstOperand *list, const std::vector<Variable> &formal,
                   std::vector<CallCopy> &copies, bool isResult) {
    size_t count = list ? list->parts.size() : 0;
    if (count != formal.size())
      decoder.fail("function `" + callee.name + "` has " + std::to_string(formal.size()) +
                   (isResult ? " results, got " : " parameters, got ") + std::to_string(count));
    for (size_t i = 0; i < count; ++i) {
      const AstOperand &actual = list->parts[i];
      uint32_t here = 0, size = 0, there = 0;
      if (actual.kind != AstOperand::Kind::Symbol ||
          !decoder.builder.localOffset(decoder.builder.currentIndex(), actual.name, actual.scope,
                                       here, size) ||
          !decoder.builder.parameterOffset(info.function, formal[i].name, there))
        decoder.fail("expected a .param variable as argument of a call");
      if (size != formal[i].size)
        decoder.fail("argument `" + actual.name + "` has " + std::to_string(size) +
                     " bytes, the parameter " + std::to_string(formal[i].size));
      copies.push_back(isResult ? CallCopy{there, here, size} : CallCopy{here, there, size});
    }
  };
  match(results, target.results, info.results, true);
  match(arguments, target.parameters, info.arguments, false);
  Program &program = decoder.builder.getProgram();
  decoder.out.extra = static_cast<uint32_t>(program.calls.size());
  program.calls.push_back(std::move(info));
  decoder.out.control = Control::Call;
}

template <Control Kind> void decodeSimple(Decoder &decoder) {
  decoder.out.kind = InstructionClass::Control;
  decoder.take("uni");
  decoder.expectOperands(0, 0);
  decoder.out.control = Kind;
}

void decodeSleep(Decoder &decoder) {
  decoder.out.kind = InstructionClass::Control;
  decoder.expectTypeOf({Type::U32});
  decoder.expectOperands(1, 1);
  decoder.value(0, Type::U32);
  decoder.out.control = Control::Yield;
}

void runNothing(Warp &, const Instruction &, uint32_t) {}

void decodeIgnored(Decoder &decoder) {
  decoder.out.kind = InstructionClass::Control;
  decoder.takeOneOf({"wait", "launch_dependents"});
  decoder.take("mask");
  decoder.out.handler = &runNothing;
}

void runWarpSync(Warp &warp, const Instruction &, uint32_t active) {
  if (!warp.block.clocks)
    return;
  // Lanes that do not exist or have ended know everything.
  uint32_t absent = ~warp.present | warp.exited;
  bool isWhole = (active | absent) == ~0u;
  warp.block.clocks->joinLanes(warp.index, isWhole ? ~0u : active);
}

/// bar and barrier. mode: 0 sync, 1 arrive, 2 red.popc, 3 red.and, 4 red.or.
void decodeBarrier(Decoder &decoder) {
  Instruction &out = decoder.out;
  out.kind = InstructionClass::Barrier;
  if (decoder.has("cluster"))
    decoder.refuse("clusters");
  if (decoder.take("warp")) {
    if (!decoder.take("sync"))
      decoder.failUnknown();
    decoder.expectOperands(1, 1);
    out.m = decoder.value(0, Type::B32);
    out.control = Control::Member;
    out.handler = &runWarpSync;
    return;
  }
  decoder.take("cta");
  int form = decoder.takeOneOf({"sync", "arrive", "red"});
  if (form < 0)
    decoder.failUnknown();
  out.isAligned = decoder.take("aligned") || decoder.name() == "bar";
  size_t at = 0;
  if (form == 2) {
    int operation = decoder.takeOneOf({"popc", "and", "or"});
    Type type = decoder.expectTypeOf({Type::U32, Type::Pred});
    if (operation < 0 || (operation == 0) != (type == Type::U32))
      decoder.failUnknown();
    out.mode = static_cast<uint8_t>(2 + operation);
    decoder.expectOperands(3, 4);
    out.d = operation == 0 ? decoder.result(0, Type::U32) : decoder.predicateResult(decoder.at(0));
    out.a = decoder.value(1, Type::U32);
    if (decoder.operandCount() == 4)
      out.b = decoder.value(2, Type::U32);
    out.c = decoder.predicate(decoder.at(decoder.operandCount() - 1));
  } else {
    out.mode = static_cast<uint8_t>(form);
    decoder.expectOperands(form == 1 ? 2 : 1, 2);
    out.a = decoder.value(at++, Type::U32);
    if (decoder.operandCount() == 2)
      out.b = decoder.value(at, Type::U32);
  }
  out.control = Control::Barrier;
}

void refuseLater(Decoder &decoder) { decoder.refuse("it needs sm_90 or later"); }
void refuseOutOfScope(Decoder &decoder) { decoder.refuse("it is out of scope"); }

} // namespace

void registerControl(InstructionTable &table) {
  table["bra"] = decodeBranch;
  table["brx"] = decodeBranchIndexed;
  table["call"] = decodeCall;
  table["ret"] = decodeSimple<Control::Return>;
  table["exit"] = decodeSimple<Control::Exit>;
  table["trap"] = decodeSimple<Control::Trap>;
  table["brkpt"] = decodeIgnored;
  table["pmevent"] = decodeIgnored;
  table["nanosleep"] = decodeSleep;
  table["griddepcontrol"] = decodeIgnored;
  table["bar"] = decodeBarrier;
  table["barrier"] = decodeBarrier;
}

void registerRefused(InstructionTable &table) {
  for (std::string_view name : {"mbarrier", "wgmma", "setmaxnreg", "elect", "stmatrix", "tensormap",
                                "mapa", "getctarank", "clusterlaunchcontrol", "multimem"})
    table[name] = refuseLater;
  for (std::string_view name :
       {"wmma",  "tcgen05", "tex",    "tld4",      "txq",          "suld", "sust",     "sured",
        "suq",   "istypep", "alloca", "stacksave", "stackrestore", "fns",  "vadd",     "vsub",
        "vmin",  "vmax",    "vshl",   "vshr",      "vmad",         "vset", "vabsdiff", "vadd2",
        "vsub2", "vmin2",   "vmax2",  "vadd4",     "vsub4"})
    table[name] = refuseOutOfScope;
}

} // namespace attnc::emu
