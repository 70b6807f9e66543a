//===- ChecksTest.cpp - Every check reports its fault, and only it --------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "EmulatorRun.h"

using namespace attnc::emu;

namespace {

constexpr const char *loadOut = "ld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\n"
                                "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\n";

LaunchResult runBody(const std::string &body, unsigned threads = 32,
                     const std::string &before = "") {
  PtxRun run(PtxRun::kernel(loadOut + body, before));
  EXPECT_TRUE(run.program) << (run.diagnostics.empty() ? "" : run.diagnostics[0].message);
  if (!run.program)
    return {};
  run.config.block = {threads, 1, 1};
  uint64_t out = run.buffer(std::vector<uint32_t>(threads), "out");
  return run.launch({out});
}

/// Exactly the faults of one kind.
void expectOnly(const LaunchResult &result, FaultKind kind, uint32_t line) {
  ASSERT_FALSE(result.faults.empty()) << "no " << getFaultName(kind);
  EXPECT_FALSE(result.succeeded);
  for (const Fault &fault : result.faults)
    EXPECT_EQ(fault.kind, kind) << formatFault(fault);
  EXPECT_EQ(result.faults[0].line, line) << formatFault(result.faults[0]);
}

void expectNone(const LaunchResult &result) {
  EXPECT_TRUE(result.succeeded);
  for (const Fault &fault : result.faults)
    ADD_FAILURE() << formatFault(fault);
}

constexpr const char *sharedArray = ".shared .align 16 .b8 tile[1024];\n";
// Thread t's word of `tile` in %r2.
constexpr const char *sharedAddress = "mov.u32 %r2, tile;\nmad.lo.u32 %r2, %r1, 4, %r2;\n";

TEST(Checks, acceptsASoundKernel) {
  expectNone(runBody(std::string(sharedAddress) +
                         "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nxor.b32 %r3, %r1, 33;\n"
                         "mov.u32 %r4, tile;\nmad.lo.u32 %r4, %r3, 4, %r4;\n"
                         "ld.shared.u32 %r5, [%r4];\nst.global.u32 [%d3], %r5;",
                     64, sharedArray));
}

TEST(Checks, outOfBounds) {
  LaunchResult result = runBody("st.global.u32 [%d3+4], %r1;");
  expectOnly(result, FaultKind::OutOfBounds, 15);
  EXPECT_EQ(result.faults[0].lane, 31);
  EXPECT_EQ(result.faults[0].thread, (Dim3{31, 0, 0}));
  EXPECT_EQ(result.faults[0].message, "byte 128 of buffer `out`, which has 128");
  expectOnly(runBody("st.shared.u32 [%r1+1024], %r1;", 1, sharedArray), FaultKind::OutOfBounds, 16);
}

TEST(Checks, misaligned) {
  expectOnly(runBody("st.global.u32 [%d3+2], %r1;", 1), FaultKind::Misaligned, 15);
  expectOnly(runBody("mov.u32 %r2, 4;\nst.shared.v2.u32 [%r2], {%r1, %r1};", 1, sharedArray),
             FaultKind::Misaligned, 17);
}

TEST(Checks, uninitialisedRegister) {
  LaunchResult result = runBody("add.u32 %r2, %r3, 1;");
  expectOnly(result, FaultKind::UninitializedRegister, 15);
  EXPECT_EQ(result.faults[0].message, "`%r3` was never written");
  // A register written by some lanes only.
  expectOnly(runBody("setp.lt.u32 %p1, %r1, 5;\n@%p1 mov.u32 %r2, 1;\nst.global.u32 [%d3], %r2;"),
             FaultKind::UninitializedRegister, 17);
}

TEST(Checks, uninitialisedMemory) {
  expectOnly(runBody(std::string(sharedAddress) + "ld.shared.u32 %r3, [%r2];", 32, sharedArray),
             FaultKind::UninitializedMemory, 18);
  expectOnly(runBody(".local .align 4 .b8 stack[16];\nst.local.u32 [stack], %r1;\n"
                     "ld.local.u32 %r3, [stack+4];"),
             FaultKind::UninitializedMemory, 17);
  PtxRun run(PtxRun::kernel(std::string(loadOut) + "ld.global.u32 %r2, [%d3];"));
  uint64_t fresh = run.device.allocate(128, "fresh");
  expectOnly(run.launch({fresh}), FaultKind::UninitializedMemory, 15);
}

TEST(Checks, sharedRaceAcrossWarps) {
  std::string body = std::string(sharedAddress) +
                     "st.shared.u32 [%r2], %r1;\nBARRIER\nxor.b32 %r3, %r1, 32;\n"
                     "mov.u32 %r4, tile;\nmad.lo.u32 %r4, %r3, 4, %r4;\n"
                     "ld.shared.u32 %r5, [%r4];\nst.global.u32 [%d3], %r5;";
  auto with = [&](const std::string &barrier) {
    std::string text = body;
    return runBody(text.replace(text.find("BARRIER"), 7, barrier), 64, sharedArray);
  };
  expectNone(with("bar.sync 0;"));
  expectNone(with("bar.sync 1, 64;"));
  LaunchResult result = with("// none");
  ASSERT_FALSE(result.succeeded);
  size_t races = countFaults(result, FaultKind::Race);
  EXPECT_GE(races, 1u);
  EXPECT_GE(countFaults(with("bar.warp.sync -1;"), FaultKind::Race), 1u);
}

TEST(Checks, sharedRaceInsideAWarp) {
  std::string body = std::string(sharedAddress) +
                     "st.shared.u32 [%r2], %r1;\nSYNC\nxor.b32 %r3, %r1, 1;\n"
                     "mov.u32 %r4, tile;\nmad.lo.u32 %r4, %r3, 4, %r4;\n"
                     "ld.shared.u32 %r5, [%r4];\nst.global.u32 [%d3], %r5;";
  auto with = [&](const std::string &sync) {
    std::string text = body;
    return runBody(text.replace(text.find("SYNC"), 4, sync), 32, sharedArray);
  };
  expectNone(with("bar.warp.sync -1;"));
  LaunchResult result = with("// none");
  expectOnly(result, FaultKind::Race, 23);
  EXPECT_EQ(result.faults[0].otherLine, 18u);
}

TEST(Checks, equalValuesOfOneStoreDoNotRace) {
  expectNone(runBody("st.global.u32 [%d1], 7;"));
  expectOnly(runBody("st.global.u32 [%d1], %r1;"), FaultKind::Race, 15);
}

TEST(Checks, barrierDivergence) {
  // Two halves of a warp at two barriers.
  LaunchResult result = runBody("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra L;\nbar.sync 0;\nbra M;\n"
                                "L: bar.sync 0;\nM: ret;");
  EXPECT_GE(countFaults(result, FaultKind::BarrierDivergence), 1u);
  EXPECT_FALSE(result.succeeded);
  // Lanes that have ended need not come, wherever their end stands in the text.
  expectNone(runBody("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra L;\nbar.sync 0;\nL: ret;"));
  // Lanes that take a longer way round are waited for.
  expectNone(runBody("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra FAR;\nNEAR: bar.sync 0;\nret;\n"
                     "FAR: mov.u32 %r2, 1;\nbra NEAR;"));
  // So are lanes that come by another branch of an indexed jump.
  expectNone(runBody("targets: .branchtargets A, B;\nand.b32 %r2, %r1, 1;\n"
                     "brx.idx %r2, targets;\nB: mov.u32 %r3, 2;\nbra C;\nA: mov.u32 %r3, 1;\n"
                     "C: bar.sync 0;\nst.global.u32 [%d3], %r3;"));
}

TEST(Checks, partialWarpAtAlignedBarrier) {
  // In each turn of the loop the other half of the warp goes round the barrier. It comes to the
  // barrier in the next turn, which does not make the barrier whole.
  std::string loop = "mov.u32 %r2, 0;\nLOOP: add.u32 %r3, %r1, %r2;\nand.b32 %r3, %r3, 1;\n"
                     "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra SKIP;\nBARRIER\n"
                     "SKIP: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 2;\n@%p2 bra LOOP;\n"
                     "bar.warp.sync -1;\nst.global.u32 [%d3], %r2;";
  auto with = [&](const std::string &barrier) {
    std::string text = loop;
    return runBody(text.replace(text.find("BARRIER"), 7, barrier));
  };
  expectOnly(with("bar.sync 0;"), FaultKind::BarrierDivergence, 20);
  expectOnly(with("barrier.sync.aligned 0;"), FaultKind::BarrierDivergence, 20);
  expectOnly(with("mov.u32 %r4, 0;movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r4;"),
             FaultKind::Convergence, 20);
  // A guard that only some lanes meet.
  expectOnly(runBody("setp.lt.u32 %p1, %r1, 16;\n@%p1 bar.sync 0;\n@!%p1 bar.sync 0;"),
             FaultKind::BarrierDivergence, 16);
  // Lanes that leave a loop with a barrier earlier than others.
  LaunchResult result = runBody("mov.u32 %r2, 0;\nLOOP: bar.sync 0;\nadd.u32 %r2, %r2, 8;\n"
                                "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra LOOP;\n"
                                "st.global.u32 [%d3], %r2;");
  EXPECT_EQ(countFaults(result, FaultKind::BarrierDivergence), 1u);
  // Lanes that spin are not waited for for ever, and do not count as gone round.
  expectNone(runBody("mov.u32 %r2, 0;\nLOOP: add.u32 %r2, %r2, 1;\n"
                     "mul.lo.u32 %r3, %r1, 1000;\nsetp.lt.u32 %p1, %r2, %r3;\n@%p1 bra LOOP;\n"
                     "bar.sync 0;\nst.global.u32 [%d3], %r2;"));
}

TEST(Checks, threadsComeToABarrierOneByOne) {
  // Without .aligned the halves of a warp may come to different instructions, and others may end.
  std::string body = std::string(sharedAddress) +
                     "st.shared.u32 [%r2], %r1;\nsetp.eq.u32 %p3, %r1, 5;\n@%p3 exit;\n"
                     "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra L;\nbarrier.sync 3;\nbra M;\n"
                     "L: barrier.sync 3;\nM: xor.b32 %r3, %r1, 63;\nmov.u32 %r4, tile;\n"
                     "mad.lo.u32 %r4, %r3, 4, %r4;\nld.shared.u32 %r5, [%r4];\n"
                     "st.global.u32 [%d3], %r5;";
  expectNone(runBody(body, 64, sharedArray));
  // Lanes that end while others wait.
  expectNone(runBody("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra L;\nbarrier.sync 0;\nret;\nL: exit;"));
  // Lanes that never come.
  LaunchResult result = runBody("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra L;\nbarrier.sync 1;\n"
                                "bra M;\nL: barrier.sync 2;\nM: ret;");
  expectOnly(result, FaultKind::Deadlock, 17);
}

TEST(Checks, partialWarpAtMatrixInstruction) {
  LaunchResult result =
      runBody("mov.u32 %r2, 0;\nsetp.lt.u32 %p1, %r1, 16;\n"
              "@%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r2;\nbar.warp.sync -1;");
  EXPECT_EQ(countFaults(result, FaultKind::Convergence), 1u);
}

TEST(Checks, readOnlyDataWritten) {
  LaunchResult result =
      runBody("ld.global.nc.u32 %r2, [%d3];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d3], %r2;");
  expectOnly(result, FaultKind::ReadOnlyWritten, 17);
}

TEST(Checks, sourceLinesOfTheFile) {
  LaunchResult result =
      runBody(".loc 1 77 3\nst.global.u32 [%d3+4], %r1;", 32, ".file 1 \"kernel.attn\"\n");
  expectOnly(result, FaultKind::OutOfBounds, 17);
  EXPECT_EQ(result.faults[0].sourceFile, "kernel.attn");
  EXPECT_EQ(result.faults[0].sourceLine, 77u);
}

TEST(Checks, fencesAndAtomicsOrderBlocks) {
  // Without the fences the last block reads what nobody released to it.
  std::string body = "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d4, %r2, 4;\nadd.u64 %d4, %d1, %d4;\n"
                     "st.global.u32 [%d4+8], 5;\nFENCE\natom.global.add.u32 %r3, [%d1], 1;\nFENCE\n"
                     "setp.ne.u32 %p1, %r3, 1;\n@%p1 exit;\nld.global.u32 %r4, [%d1+8];\n"
                     "ld.global.u32 %r5, [%d1+12];\nadd.u32 %r4, %r4, %r5;\n"
                     "st.global.u32 [%d1+4], %r4;";
  for (bool hasFences : {true, false}) {
    std::string text = body;
    for (size_t at = text.find("FENCE"); at != std::string::npos; at = text.find("FENCE"))
      text.replace(at, 5, hasFences ? "membar.gl;" : "// none");
    PtxRun run(PtxRun::kernel(loadOut + text));
    ASSERT_TRUE(run.program);
    run.config = {{2, 1, 1}, {1, 1, 1}, 0};
    uint64_t out = run.buffer(std::vector<uint32_t>(4), "out");
    LaunchResult result = run.launch({out});
    if (hasFences)
      expectNone(result);
    else
      EXPECT_GE(countFaults(result, FaultKind::Race), 1u);
    EXPECT_EQ(run.read<uint32_t>(out, 4)[1], 10u);
  }
}

TEST(Checks, strictModeFindsWhatIsUnspecified) {
  PtxRun run(
      PtxRun::kernel(std::string(loadOut) + "div.u32 %r2, 5, %r1;\nst.global.u32 [%d3], %r2;"));
  uint64_t out = run.buffer(std::vector<uint32_t>(32), "out");
  expectNone(run.launch({out}));
  run.options.strict = true;
  expectOnly(run.launch({out}), FaultKind::DivisionByZero, 15);
  PtxRun shifts(PtxRun::kernel(std::string(loadOut) +
                               "add.u32 %r2, %r1, 1;\nshl.b32 %r3, %r1, %r2;\n"
                               "cvt.u64.u32 %d4, %r1;\nshr.u64 %d4, %d4, %r2;\n"
                               "st.global.u32 [%d3], %r3;"));
  out = shifts.buffer(std::vector<uint32_t>(32), "out");
  expectNone(shifts.launch({out}));
  shifts.options.strict = true;
  LaunchResult result = shifts.launch({out});
  expectOnly(result, FaultKind::OverwideShift, 16);
  EXPECT_EQ(result.faults[0].lane, 31);
  EXPECT_EQ(result.faults[0].message, "32 bits by 32");
}

TEST(Checks, callsNestedTooDeeply) {
  LaunchResult result = runBody("call f, ();", 32,
                                ".func f()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\n"
                                "call f, ();\nret;\n}\n");
  expectOnly(result, FaultKind::StackOverflow, 8);
  // Only some lanes call for ever.
  result = runBody("setp.lt.u32 %p1, %r1, 7;\n@%p1 call f, ();\nst.global.u32 [%d3], %r1;", 32,
                   ".func f()\n{\ncall f, ();\nret;\n}\n");
  expectOnly(result, FaultKind::StackOverflow, 6);
}

TEST(Checks, constantMemory) {
  std::string table = ".const .align 4 .u32 table[2] = {7, 9};\n.global .align 4 .u32 cell;\n";
  // Its addresses fit into 32 bits.
  expectNone(runBody("mov.b32 %r2, table;\nadd.u32 %r2, %r2, 4;\nld.const.u32 %r3, [%r2];\n"
                     "setp.ne.u32 %p1, %r3, 9;\n@%p1 trap;\nmov.b64 %d4, table;\n"
                     "cvta.const.u64 %d4, %d4;\nld.u32 %r3, [%d4];",
                     32, table));
  expectOnly(runBody("mov.u64 %d4, table;\nld.global.u32 %r3, [%d4];", 32, table),
             FaultKind::WrongSpace, 18);
  expectOnly(runBody("mov.u64 %d4, cell;\nld.const.u32 %r3, [%d4];", 32, table),
             FaultKind::WrongSpace, 18);
  expectOnly(runBody("mov.u64 %d4, table;\nst.u32 [%d4], %r1;", 32, table), FaultKind::WrongSpace,
             18);
  expectOnly(runBody("ld.const.u32 %r3, [table+8];", 32, table), FaultKind::OutOfBounds, 17);
}

TEST(Checks, deadlock) {
  LaunchResult result =
      runBody("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra L;\nbar.sync 1, 64;\nL: bar.sync 0;", 64);
  expectOnly(result, FaultKind::Deadlock, 18);
  EXPECT_EQ(result.faults[0].details.size(), 4u) << formatFault(result.faults[0]);
}

TEST(Checks, barrierMisuse) {
  expectOnly(runBody("bar.sync 16;"), FaultKind::BarrierMisuse, 15);
  expectOnly(runBody("bar.sync 0, 31;"), FaultKind::BarrierMisuse, 15);
}

TEST(Checks, memberMask) {
  LaunchResult result = runBody("setp.lt.u32 %p1, %r1, 16;\nmov.u32 %r3, 1;\n@%p1 bra L;\n"
                                "bar.warp.sync -1;\nL: ret;");
  EXPECT_TRUE(result.succeeded) << "lanes that have ended need not come";
  result = runBody("setp.lt.u32 %p1, %r1, 16;\n@%p1 bra L;\n"
                   "shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\nL: bar.warp.sync -1;");
  EXPECT_GE(countFaults(result, FaultKind::Convergence), 1u);
  expectOnly(runBody("shfl.sync.idx.b32 %r3, %r1, 5, 31, 0xFFFFFFDF;"), FaultKind::Convergence, 15);
}

TEST(Checks, stepBudgetEndsASpin) {
  PtxRun run(PtxRun::kernel("L: bra L;"));
  run.options.stepBudget = 1000;
  LaunchResult result = run.launch({0});
  expectOnly(result, FaultKind::StepBudget, 11);
  EXPECT_EQ(result.faults[0].count, 1u);
}

TEST(Checks, blocksThatSpinAreNotTriedOneAfterTheOther) {
  // Every block waits for a flag that nobody raises; also without atomics, in parallel.
  for (const char *load : {"ld.volatile.global.u32", "ld.shared.u32"}) {
    PtxRun run(PtxRun::kernel("ld.param.u64 %d1, [out];\nst.shared.u32 [cell], 0;\n"
                              "mov.u64 %d4, cell;\nL: " +
                                  std::string(load) +
                                  (load[3] == 's' ? " %r2, [cell];" : " %r2, [%d1];") +
                                  "\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;",
                              ".shared .align 4 .b8 cell[4];\n"));
    ASSERT_TRUE(run.program);
    run.config = {{1000, 1, 1}, {1, 1, 1}, 0};
    run.options.stepBudget = 10000;
    run.options.workers = 1;
    uint64_t out = run.buffer(std::vector<uint32_t>(1), "out");
    LaunchResult result = run.launch({out});
    EXPECT_EQ(countFaults(result, FaultKind::StepBudget), 1u);
    // Blocks that may wait for each other take turns, as many as the device has multiprocessors.
    EXPECT_LT(result.statistics.steps, 2u * 10000);
  }
}

TEST(Checks, blocksThatWaitForEachOther) {
  // Each of the two holds the lock that the other wants.
  PtxRun run(PtxRun::kernel("ld.param.u64 %d1, [out];\nmov.u32 %r1, %ctaid.x;\n"
                            "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d1, %d2;\n"
                            "xor.b32 %r2, %r1, 1;\nmul.wide.u32 %d3, %r2, 4;\n"
                            "add.u64 %d3, %d1, %d3;\natom.global.exch.b32 %r3, [%d2], 1;\n"
                            "atom.global.add.u32 %r3, [%d1+8], 1;\n"
                            "WAIT: ld.volatile.global.u32 %r3, [%d1+8];\n"
                            "setp.lt.u32 %p1, %r3, 2;\n@%p1 bra WAIT;\n"
                            "SPIN: atom.global.cas.b32 %r3, [%d3], 0, 1;\n"
                            "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra SPIN;"));
  ASSERT_TRUE(run.program);
  run.config = {{2, 1, 1}, {1, 1, 1}, 0};
  run.options.stepBudget = 100000;
  uint64_t out = run.buffer(std::vector<uint32_t>(3), "locks");
  LaunchResult result = run.launch({out});
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::StepBudget);
  EXPECT_NE(result.faults[0].message.find("none has written anything"), std::string::npos);
  EXPECT_LT(result.statistics.steps, run.options.stepBudget);
}

TEST(Checks, launchLimits) {
  PtxRun run(PtxRun::kernel("ret;"));
  run.config.block = {1025, 1, 1};
  EXPECT_EQ(run.launch({0}).faults[0].kind, FaultKind::Launch);
  run.config.block = {32, 1, 1};
  run.config.grid = {1, 65536, 1};
  EXPECT_EQ(countFaults(run.launch({0}), FaultKind::Launch), 1u);
  run.config.grid = {1, 1, 1};
  run.config.dynamicShared = 164 * 1024;
  EXPECT_EQ(countFaults(run.launch({0}), FaultKind::Launch), 1u);
}

TEST(Checks, useAfterFree) {
  PtxRun run(PtxRun::kernel(std::string(loadOut) + "st.global.u32 [%d3], %r1;"));
  uint64_t out = run.buffer(std::vector<uint32_t>(32), "out");
  run.device.release(out);
  expectOnly(run.launch({out}), FaultKind::UseAfterFree, 15);
}

TEST(Checks, raceBetweenBlocks) {
  PtxRun run(
      PtxRun::kernel(std::string(loadOut) + "mov.u32 %r5, %ctaid.x;\nst.global.u32 [%d3], %r5;"));
  run.config.grid = {2, 1, 1};
  uint64_t out = run.buffer(std::vector<uint32_t>(32), "out");
  LaunchResult result = run.launch({out});
  expectOnly(result, FaultKind::Race, 16);
}

TEST(Checks, asyncCopies) {
  std::string body = "and.b32 %r7, %r1, 7;\nmul.wide.u32 %d4, %r7, 16;\nadd.u64 %d4, %d1, %d4;\n"
                     "mov.u32 %r2, tile;\nmad.lo.u32 %r2, %r1, 16, %r2;\n"
                     "cp.async.cg.shared.global [%r2], [%d4], 16;\ncp.async.commit_group;\n"
                     "WAIT\nBARRIER\nxor.b32 %r3, %r1, 1;\nmov.u32 %r4, tile;\n"
                     "mad.lo.u32 %r4, %r3, 16, %r4;\nld.shared.u32 %r5, [%r4];\n";
  auto with = [&](const std::string &wait, const std::string &barrier) {
    std::string text = body;
    text.replace(text.find("WAIT"), 4, wait);
    text.replace(text.find("BARRIER"), 7, barrier);
    return runBody(text, 32, sharedArray);
  };
  expectNone(with("cp.async.wait_group 0;", "bar.sync 0;"));
  expectNone(with("cp.async.wait_all;", "bar.warp.sync -1;"));
  // The source of a short copy needs the alignment of a whole one.
  expectOnly(runBody("cp.async.cg.shared.global [tile], [%d1+4], 16, 8;\ncp.async.wait_all;", 1,
                     sharedArray),
             FaultKind::Misaligned, 16);
  LaunchResult result = with("cp.async.wait_group 1;", "bar.sync 0;");
  EXPECT_EQ(countFaults(result, FaultKind::AsyncNotWaited), 1u);
  EXPECT_EQ(countFaults(with("cp.async.wait_group 0;", "// none"), FaultKind::Race), 1u);
  EXPECT_FALSE(with("// none", "bar.sync 0;").succeeded);
}

} // namespace
