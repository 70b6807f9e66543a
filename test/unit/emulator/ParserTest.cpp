//===- ParserTest.cpp - Errors of PTX text, with their places -------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "EmulatorRun.h"

using namespace attnc::emu;

namespace {

std::string firstError(const std::string &text) {
  PtxRun run(text);
  if (run.diagnostics.empty())
    return run.module ? "" : "failed without a message";
  return formatDiagnostic("f", run.diagnostics[0]);
}

TEST(Parser, takesAnEmptyFile) { EXPECT_EQ(firstError(""), ""); }

TEST(Parser, namesTheUnexpectedToken) {
  EXPECT_EQ(firstError(".version 8.0\n.target 5\n"),
            "f:2:9: error: expected a target name, got `5`");
  EXPECT_EQ(firstError(ptxHeader() + "banana"), "f:4:1: error: expected a directive, got `banana`");
  EXPECT_EQ(firstError(ptxHeader() + "\x1b[2J"), "f:4:1: error: expected a directive, got `\\x1b`");
  EXPECT_EQ(firstError(ptxHeader() + ".entry k() {"),
            "f:4:13: error: expected `}` at the end of function `k`, got the end of the file");
}

TEST(Parser, placesErrorsInStatements) {
  EXPECT_EQ(firstError(PtxRun::kernel("add.u32 %r1, %r2 %r3;")),
            "f:11:18: error: expected `;` or `,` after an operand, got `%r3`");
  EXPECT_EQ(firstError(PtxRun::kernel("add.u32 %r1, %r99, 1;")),
            "f:11:14: error: undeclared register `%r99`");
  EXPECT_EQ(firstError(PtxRun::kernel("@%r1 bra L;")),
            "f:11:2: error: expected a predicate register, got `%r1`");
  EXPECT_EQ(firstError(PtxRun::kernel("bra NOWHERE;")), "f:11:5: error: unknown label `NOWHERE`");
  EXPECT_EQ(firstError(PtxRun::kernel("L: L: ret;")), "f:11:4: error: label `L` is defined twice");
  EXPECT_EQ(firstError(PtxRun::kernel("mov.b32 %r1, 0f12;")),
            "f:11:14: error: expected an operand, got `0f12`");
}

TEST(Parser, goesOnAfterAnError) {
  PtxRun run(PtxRun::kernel("add.u32 %r1, %r99, 1;\nadd.u32 %r1, %r98, 1;"));
  EXPECT_EQ(run.diagnostics.size(), 2u);
}

TEST(Decoder, reportsUnknownInstructionsOnceByName) {
  PtxRun run(PtxRun::kernel("frobnicate.u32 %r1;\nfrobnicate.u32 %r2;\nadd.u33 %r1, %r1, 1;"));
  ASSERT_EQ(run.diagnostics.size(), 2u);
  EXPECT_EQ(run.diagnostics[0].message, "unknown instruction `frobnicate.u32`");
  EXPECT_EQ(run.diagnostics[1].message, "unknown instruction `add.u33`");
}

TEST(Decoder, skipsNoModifierInSilence) {
  EXPECT_EQ(firstError(PtxRun::kernel("add.ftz.u32 %r1, %r2, %r3;")),
            "f:11:1: error: unknown modifier `.ftz` of instruction `add.ftz.u32`");
  EXPECT_EQ(firstError(PtxRun::kernel("ld.global.shiny.u32 %r1, [%d1];")),
            "f:11:1: error: unknown modifier `.shiny` of instruction `ld.global.shiny.u32`");
}

TEST(Decoder, refusesLaterFeaturesByName) {
  EXPECT_EQ(firstError(PtxRun::kernel("mbarrier.init.shared::cta.b64 [%r1], 1;")),
            "f:11:1: error: instruction `mbarrier.init.shared::cta.b64` is not supported: it needs "
            "sm_90 or later");
  EXPECT_EQ(
      firstError(
          PtxRun::kernel(
              "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
              "[%r1], [%d1, {%r2, %r3}], [%r4];"))
          .substr(0, 30),
      "f:11:1: error: instruction `cp");
  EXPECT_NE(
      firstError(PtxRun::kernel("setmaxnreg.inc.sync.aligned.u32 240;")).find("is not supported"),
      std::string::npos);
}

TEST(Decoder, refusesWhatTheDocumentationLists) {
  for (const char *text :
       {"mbarrier.arrive.shared.b64 %d1, [%r1];",
        "cp.async.bulk.commit_group;",
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];",
        "wgmma.fence.sync.aligned;",
        "setmaxnreg.dec.sync.aligned.u32 40;",
        "elect.sync %r1|%p1, -1;",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};",
        "tensormap.cp_fenceproxy.global.shared::cta [%d1], [%r1], 128;",
        "fence.proxy.async.shared::cta;",
        "fence.mbarrier_init.release.cluster;",
        "prefetch.tensormap [%d1];",
        "mapa.shared::cluster.u32 %r1, %r2, 0;",
        "getctarank.shared::cluster.u32 %r1, %r2;",
        "multimem.red.relaxed.sys.global.add.u32 [%d1], %r1;",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.b128 [%r1], [%r2];",
        "barrier.cluster.arrive;",
        "ld.shared::cluster.u32 %r1, [%r2];",
        "fence.acq_rel.cluster;",
        "red.global.add.v2.f32 [%d1], {%f1, %f2};",
        "atom.global.exch.b128 %d1, [%d1], %d2;",
        "add.f32x2 %d1, %d2, %d3;",
        "redux.sync.min.f32 %f1, %f2, -1;",
        "max.f32 %f1, %f2, %f3, %f4;",
        "ld.global.v4.b64 {%d1, %d2, %d3, %d4}, [%d1];",
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1}, {%r1}, {%r1}, {%r1};",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d1}, {%d1}, {%d1}, {%d1, %d1};",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1}, {%r1}, {%r1}, {%r1}, %r1, 0;",
        "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%d1];",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r3];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2}];",
        "suld.b.1d.b32.trap {%r1}, [%d1, {%r2}];",
        "alloca.u64 %d1, 16;",
        "stacksave.u64 %d1;",
        "fns.b32 %r1, %r2, 0, 1;",
        "vadd.s32.s32.s32 %r1, %r2, %r3;",
        "shfl.down.b32 %r1, %r2, 1, 31;",
        "vote.all.pred %p1, %p2;",
        "call (%r1), %d1, (%r2), prototype;",
        "cvta.shared.u32 %r1, %r2;"}) {
    std::string error = firstError(PtxRun::kernel(text));
    std::string name(text, std::strcspn(text, " ;"));
    std::string start = "f:11:1: error: instruction `" + name + "` is not supported: ";
    EXPECT_EQ(error.substr(0, start.size()), start) << error;
  }
}

TEST(Decoder, checksOperands) {
  EXPECT_EQ(firstError(PtxRun::kernel("add.u32 %r1, %r2;")),
            "f:11:1: error: instruction `add.u32` has 2 operands, expected 3");
  EXPECT_EQ(firstError(PtxRun::kernel("add.u64 %d1, %r2, %d3;")),
            "f:11:14: error: register `%r2` is too narrow for type .u64");
  EXPECT_EQ(firstError(PtxRun::kernel("ld.global.u32 %r1, [nothing];")),
            "f:11:21: error: unknown name `nothing`");
}

TEST(Parser, takesScopesWithTheirOwnNames) {
  PtxRun run(PtxRun::kernel("ld.param.u64 %d1, [out];\n"
                            "{ .reg .b32 x; mov.u32 x, 1; bra DONE; mov.u32 x, 5; DONE: "
                            "st.global.u32 [%d1], x; }\n"
                            "{ .reg .b32 x; mov.u32 x, 2; bra DONE; mov.u32 x, 5; DONE: "
                            "st.global.u32 [%d1+4], x; }\n"));
  ASSERT_TRUE(run.program);
  uint64_t out = run.buffer(std::vector<uint32_t>(2));
  run.config.block = {1, 1, 1};
  EXPECT_TRUE(run.launch({out}).succeeded);
  EXPECT_EQ(run.read<uint32_t>(out, 2), (std::vector<uint32_t>{1, 2}));
}

} // namespace
