//===- ExecutionTest.cpp - Control flow, predicates, memory forms and calls ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "EmulatorRun.h"

#include <functional>

using namespace attnc::emu;

namespace {

constexpr const char *prologue = "ld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\n"
                                 "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\n";

/// Runs `body`, which stores a word of each thread at [%d3].
std::vector<uint32_t> results(const std::string &body, unsigned threads = 32,
                              const std::string &before = "", Schedule schedule = {}) {
  PtxRun run(PtxRun::kernel(prologue + body, before));
  EXPECT_TRUE(run.program) << (run.diagnostics.empty() ? "" : run.diagnostics[0].message);
  if (!run.program)
    return {};
  run.config.block = {threads, 1, 1};
  run.options.schedule = schedule;
  uint64_t out = run.buffer(std::vector<uint32_t>(threads), "out");
  for (const Fault &fault : run.launch({out}).faults)
    ADD_FAILURE() << formatFault(fault);
  return run.read<uint32_t>(out, threads);
}

std::vector<uint32_t> expected(unsigned threads, const std::function<uint32_t(uint32_t)> &value) {
  std::vector<uint32_t> values(threads);
  for (unsigned i = 0; i < threads; ++i)
    values[i] = value(i);
  return values;
}

TEST(Execution, predicatesCombine) {
  auto got = results("setp.lt.u32 %p1|%p2, %r1, 10;\nsetp.gt.and.u32 %p3|%p4, %r1, 5, %p1;\n"
                     "setp.eq.or.u32 %p5, %r1, 20, !%p2;\nsetp.ne.xor.u32 %p6, %r1, 3, %p1;\n"
                     "xor.pred %p7, %p5, %p6;\nnot.pred %p8, %p7;\n"
                     "selp.u32 %r2, 1, 0, %p1;\nselp.u32 %r3, 2, 0, %p2;\nor.b32 %r2, %r2, %r3;\n"
                     "selp.u32 %r3, 4, 0, %p3;\nor.b32 %r2, %r2, %r3;\n"
                     "selp.u32 %r3, 8, 0, %p4;\nor.b32 %r2, %r2, %r3;\n"
                     "selp.u32 %r3, 16, 0, %p5;\nor.b32 %r2, %r2, %r3;\n"
                     "selp.u32 %r3, 32, 0, %p8;\nor.b32 %r2, %r2, %r3;\nst.global.u32 [%d3], %r2;");
  EXPECT_EQ(got, expected(32, [](uint32_t t) {
              bool p1 = t < 10, p2 = !p1, p3 = t > 5 && p1, p4 = !(t > 5) && p1;
              bool p5 = t == 20 || !p2, p6 = (t != 3) != p1, p8 = !(p5 != p6);
              return p1 | p2 << 1 | p3 << 2 | p4 << 3 | p5 << 4 | p8 << 5;
            }));
}

TEST(Execution, indexedBranches) {
  auto got = results("targets: .branchtargets A, B, C;\nrem.u32 %r2, %r1, 3;\n"
                     "brx.idx %r2, targets;\nA: mov.u32 %r3, 100; bra.uni D;\n"
                     "B: mov.u32 %r3, 200; bra.uni D;\nC: mov.u32 %r3, 300;\n"
                     "D: add.u32 %r3, %r3, %r1;\nst.global.u32 [%d3], %r3;");
  EXPECT_EQ(got, expected(32, [](uint32_t t) { return (t % 3 + 1) * 100 + t; }));
}

TEST(Execution, lanesReconverge) {
  // After the branch all lanes meet again: the shuffle sees every lane.
  auto got = results("setp.lt.u32 %p1, %r1, 7;\n@%p1 bra L;\nmul.lo.u32 %r2, %r1, 3;\nbra M;\n"
                     "L: mul.lo.u32 %r2, %r1, 5;\nM: shfl.sync.idx.b32 %r3, %r2, 2, 31, -1;\n"
                     "add.u32 %r3, %r3, %r2;\nst.global.u32 [%d3], %r3;");
  EXPECT_EQ(got, expected(32, [](uint32_t t) { return (t < 7 ? 5 * t : 3 * t) + 10; }));
}

TEST(Execution, aSpinningLaneLetsOthersGoOn) {
  // Lane 0 waits in a loop for what lane 31 writes behind it.
  auto got =
      results("mov.u32 %r6, flag;\nsetp.eq.u32 %p1, %r1, 0;\n@!%p1 bra AFTER;\n"
              "st.volatile.shared.u32 [%r6], 0;\n"
              "SPIN: ld.volatile.shared.u32 %r2, [%r6];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra SPIN;\n"
              "AFTER: setp.eq.u32 %p3, %r1, 31;\n@%p3 st.volatile.shared.u32 [%r6], 1;\n"
              "mov.u32 %r4, 9;\nst.global.u32 [%d3], %r4;",
              32, ".shared .align 4 .b8 flag[4];\n");
  EXPECT_EQ(got, expected(32, [](uint32_t) { return 9; }));
}

TEST(Execution, vectorsAndNarrowTypes) {
  auto got = results("mov.u32 %r2, tile;\nmad.lo.u32 %r2, %r1, 16, %r2;\nadd.u32 %r3, %r1, 1;\n"
                     "st.shared.v4.u32 [%r2], {%r1, %r3, 7, -2};\nld.shared.s8 %r4, [%r2+12];\n"
                     "ld.shared.u16 %r5, [%r2+14];\nld.shared.v2.u16 {%h1, %h2}, [%r2+4];\n"
                     "ld.shared.v2.u32 {_, %r7}, [%r2+8];\ncvt.u32.u16 %r6, %h1;\n"
                     "add.u32 %r6, %r6, %r4;\nadd.u32 %r6, %r6, %r5;\nadd.u32 %r6, %r6, %r7;\n"
                     "st.global.u32 [%d3], %r6;",
                     32, ".shared .align 16 .b8 tile[512];\n");
  EXPECT_EQ(got, expected(32, [](uint32_t t) { return t + 1 - 2 + 0xFFFF - 2; }));
}

TEST(Execution, movesSplitAndJoin) {
  auto got = results("mov.b64 %d4, {%r1, 5};\nshl.b64 %d4, %d4, 1;\nmov.b64 {%r2, %r3}, %d4;\n"
                     "mov.b32 {%h1, %h2}, %r2;\nmov.b32 %r4, {%h2, %h1};\nadd.u32 %r4, %r4, %r3;\n"
                     "st.global.u32 [%d3], %r4;");
  EXPECT_EQ(got, expected(32, [](uint32_t t) { return (2 * t << 16) + 10; }));
}

TEST(Execution, callsPassParametersAndKeepRegisters) {
  std::string function = ".func (.param .b32 result) twice(.param .b32 x, .param .b64 y)\n{\n"
                         ".reg .b32 %r<3>;\n.reg .b64 %d<2>;\nld.param.b32 %r1, [x];\n"
                         "ld.param.b64 %d1, [y];\ncvt.u32.u64 %r2, %d1;\n"
                         "mad.lo.u32 %r1, %r1, 2, %r2;\nst.param.b32 [result], %r1;\nret;\n}\n";
  auto got = results("{ .param .b32 a; .param .b64 b; .param .b32 r;\nst.param.b32 [a], %r1;\n"
                     "mov.u64 %d5, 1000;\nst.param.b64 [b], %d5;\n"
                     "setp.gt.u32 %p1, %r1, 3;\nmov.u32 %r2, 1;\n"
                     "@%p1 call (r), twice, (a, b);\n@%p1 ld.param.b32 %r2, [r]; }\n"
                     "st.global.u32 [%d3], %r2;",
                     32, function);
  EXPECT_EQ(got, expected(32, [](uint32_t t) { return t > 3 ? 2 * t + 1000 : 1; }));
}

TEST(Execution, carriesChain) {
  auto got =
      results("mov.u32 %r2, 0xFFFFFFF0;\nadd.cc.u32 %r3, %r2, %r1;\naddc.u32 %r4, %r1, 0;\n"
              "sub.cc.u32 %r5, %r1, 5;\nsubc.u32 %r6, 100, 0;\nmad.lo.u32 %r4, %r4, 1000, %r6;\n"
              "st.global.u32 [%d3], %r4;");
  EXPECT_EQ(got, expected(32, [](uint32_t t) { return (t + (t > 15)) * 1000 + 100 - (t < 5); }));
}

TEST(Execution, halfAtomicsAndCompareAndSwap) {
  auto got = results("mov.u32 %r2, cell;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [%r2], 0;\n"
                     "bar.sync 0;\nmov.b32 %r3, 0x3C004000;\n"
                     "red.shared.add.noftz.f16x2 [%r2], %r3;\nbar.sync 0;\n"
                     "ld.shared.b32 %r4, [%r2];\nst.global.u32 [%d3], %r4;",
                     32, ".shared .align 4 .b8 cell[4];\n");
  EXPECT_EQ(got, expected(32, [](uint32_t) { return 0x50005400u; })); // 32 and 64
}

TEST(Execution, specialRegisters) {
  PtxRun run(
      PtxRun::kernel(std::string(prologue) +
                     "mov.u32 %r2, %laneid;\nmov.u32 %r3, %warpid;\nmov.u32 %r4, %ntid.x;\n"
                     "mov.u32 %r5, %nctaid.y;\nmov.u32 %r6, %lanemask_lt;\npopc.b32 %r6, %r6;\n"
                     "mad.lo.u32 %r2, %r3, 100, %r2;\nmad.lo.u32 %r2, %r4, 10000, %r2;\n"
                     "mad.lo.u32 %r2, %r5, 10000000, %r2;\nsub.u32 %r2, %r2, %r6;\n"
                     "st.global.u32 [%d3], %r2;"));
  run.config.block = {64, 1, 1};
  uint64_t out = run.buffer(std::vector<uint32_t>(64));
  EXPECT_TRUE(run.launch({out}).succeeded);
  EXPECT_EQ(run.read<uint32_t>(out, 64),
            expected(64, [](uint32_t t) { return 10000000 + 640000 + t / 32 * 100; }));
}

TEST(Execution, resultsDoNotDependOnWorkers) {
  auto runWith = [](unsigned workers) {
    PtxRun run(PtxRun::kernel(std::string(prologue) +
                              "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d4, %r2, 128;\n"
                              "add.u64 %d3, %d3, %d4;\nmad.lo.u32 %r3, %r2, 7, %r1;\n"
                              "st.global.u32 [%d3], %r3;\nst.global.u32 [%d1], %r2;"));
    run.config.grid = {40, 1, 1};
    run.options.workers = workers;
    run.options.schedule = {WarpOrder::Random, Landing::Random, 5};
    uint64_t out = run.buffer(std::vector<uint32_t>(32 * 40));
    LaunchResult result = run.launch({out});
    std::string text;
    for (const Fault &fault : result.faults)
      text += formatFault(fault);
    return text;
  };
  std::string one = runWith(1);
  EXPECT_NE(one.find("two blocks write the same bytes"), std::string::npos);
  EXPECT_EQ(one, runWith(4));
}

TEST(Execution, wideReadsOfWhatOtherBlocksWrite) {
  // Blocks on several threads read 16 bytes, and copy them, while others write: a race of the
  // kernel, reported as such, and none of the emulator's own threads.
  PtxRun run(PtxRun::kernel("ld.param.u64 %d1, [out];\n.reg .b128 %q;\nmov.u32 %r1, tile;\n"
                            "ld.global.b128 %q, [%d1];\nmov.b128 {%d2, %d3}, %q;\n"
                            "cp.async.cg.shared.global [%r1], [%d1], 16;\n"
                            "cp.async.ca.shared.global [%r1+16], [%d1], 8, 7;\n"
                            "cp.async.wait_all;\nadd.u64 %d2, %d2, 1;\n"
                            "mov.b128 %q, {%d2, %d3};\nst.global.b128 [%d1], %q;",
                            ".shared .align 16 .b8 tile[32];\n"));
  ASSERT_TRUE(run.program) << run.diagnostics[0].message;
  run.config = {{64, 1, 1}, {1, 1, 1}, 0};
  run.options.workers = 4;
  uint64_t out = run.buffer(std::vector<uint64_t>(2), "out");
  LaunchResult result = run.launch({out});
  EXPECT_GE(countFaults(result, FaultKind::Race), 1u);
  for (const Fault &fault : result.faults)
    EXPECT_EQ(fault.kind, FaultKind::Race) << formatFault(fault);
}

TEST(Execution, blocksCanWaitForEachOther) {
  // Block 0 spins until block 1 has raised the flag.
  PtxRun run(
      PtxRun::kernel(std::string("ld.param.u64 %d1, [out];\nmov.u32 %r1, %ctaid.x;\n"
                                 "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra SPIN;\n"
                                 "st.global.u32 [%d1+4], 42;\nmembar.gl;\n"
                                 "atom.global.exch.b32 %r2, [%d1], 1;\nexit;\n"
                                 "SPIN: ld.acquire.gpu.global.u32 %r2, [%d1];\n"
                                 "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra SPIN;\n"
                                 "ld.global.u32 %r3, [%d1+4];\nst.global.u32 [%d1+8], %r3;")));
  run.config.grid = {2, 1, 1};
  run.config.block = {1, 1, 1};
  for (const Schedule &schedule : getCiSchedules()) {
    run.options.schedule = schedule;
    uint64_t out = run.buffer(std::vector<uint32_t>(3));
    LaunchResult result = run.launch({out});
    for (const Fault &fault : result.faults)
      ADD_FAILURE() << formatFault(fault);
    EXPECT_EQ(run.read<uint32_t>(out, 3), (std::vector<uint32_t>{1, 42, 42}));
  }
}

TEST(Execution, buffersThatBeginBetweenAlignedAddresses) {
  // The 16 bytes at buffer + 4 are aligned on the device, and so they are on this machine.
  PtxRun run(PtxRun::kernel("ld.param.u64 %d1, [out];\nld.global.v2.u64 {%d2, %d3}, [%d1+4];\n"
                            "st.global.v2.u64 [%d1+4], {%d3, %d2};"));
  uint64_t buffer = run.device.allocate(20, "buffer", 12);
  EXPECT_EQ(buffer % 16, 12u);
  std::vector<uint32_t> words{1, 2, 3, 4, 5};
  ASSERT_TRUE(run.device.copyToDevice(buffer, words.data(), 20));
  run.config.block = {1, 1, 1};
  EXPECT_TRUE(run.launch({buffer}).succeeded);
  EXPECT_EQ(run.read<uint32_t>(buffer, 5), (std::vector<uint32_t>{1, 4, 5, 2, 3}));
}

TEST(Execution, deviceInterface) {
  Device device;
  uint64_t buffer = device.allocate(16, "b");
  EXPECT_FALSE(device.isWritten(buffer, 1));
  uint32_t value = 5;
  EXPECT_TRUE(device.copyToDevice(buffer + 4, &value, 4));
  EXPECT_TRUE(device.isWritten(buffer + 4, 4));
  EXPECT_FALSE(device.copyToDevice(buffer + 13, &value, 4));
  EXPECT_FALSE(device.copyToHost(&value, buffer - 1, 4));
  EXPECT_TRUE(device.release(buffer));
  EXPECT_FALSE(device.release(buffer));
  // Sparse: only touched pages cost memory.
  uint64_t large = device.allocate(uint64_t(1) << 37, "large");
  ASSERT_NE(large, 0u);
  EXPECT_TRUE(device.copyToDevice(large + (uint64_t(1) << 36), &value, 4));
  std::vector<Diagnostic> diagnostics;
  auto module = device.loadModule(ptxHeader() + ".global .align 4 .u32 x[3] = {1, 2, 3};\n"
                                                ".const .align 8 .u64 p = x+4;\n",
                                  diagnostics);
  ASSERT_TRUE(module);
  uint32_t words[3];
  ASSERT_TRUE(device.copyToHost(words, *device.findVariable(*module, "x"), 12));
  EXPECT_EQ(words[2], 3u);
  uint64_t pointer = 0;
  ASSERT_TRUE(device.copyToHost(&pointer, *device.findVariable(*module, "p"), 8));
  EXPECT_EQ(pointer, *device.findVariable(*module, "x") + 4);
}

} // namespace
