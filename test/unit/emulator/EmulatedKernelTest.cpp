//===- EmulatedKernelTest.cpp - Tests of GPU kernels in the emulator ------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/EmulatedKernel.h"
#include "EmulatorRun.h"

#include <gmock/gmock.h>
#include <numeric>

using namespace attnc;
using namespace attnc::emu;
using testing::HasSubstr;

namespace {

/// A kernel `k` of head dim 2 with one thread a row and four rows a block. It gets the row, the
/// number of rows and the pointers and row strides of q and o in registers, runs `body` for rows
/// that exist and ends at DONE.
std::string makePtx(const std::string &body, const std::string &before = "") {
  return ptxHeader() + before +
         ".visible .entry k(.param .align 8 .b8 arguments[208])\n.reqntid 4, 1, 1\n{\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<19>;\n.reg .b64 %d<19>;\n"
         "mov.u32 %r1, %tid.x;\n"
         "mov.u32 %r2, %ctaid.x;\n"
         "mad.lo.u32 %r3, %r2, 4, %r1;\n"
         "ld.param.b64 %d1, [arguments+24];\n"
         "cvt.u64.u32 %d2, %r3;\n"
         "setp.ge.u64 %p1, %d2, %d1;\n"
         "@%p1 bra DONE;\n"
         "ld.param.b64 %d3, [arguments+48];\n"
         "ld.param.b64 %d4, [arguments+72];\n"
         "ld.param.b64 %d5, [arguments+144];\n"
         "ld.param.b64 %d6, [arguments+168];\n"
         "mul.lo.u64 %d7, %d2, %d4;\n"
         "shl.b64 %d7, %d7, 2;\n"
         "add.u64 %d3, %d3, %d7;\n"
         "mul.lo.u64 %d7, %d2, %d6;\n"
         "shl.b64 %d7, %d7, 2;\n"
         "add.u64 %d5, %d5, %d7;\n" +
         body + "\nDONE: ret;\n}\n";
}

const char *const copyRow = "ld.global.b32 %r4, [%d3];\nld.global.b32 %r5, [%d3+4];\n"
                            "st.global.b32 [%d5], %r4;\nst.global.b32 [%d5+4], %r5;\n";

class EmulatedKernelTest : public testing::Test {
protected:
  static constexpr int64_t rows = 10;

  EmulatedKernelTest() : q(64), k(2), o(64, -1) {
    std::iota(q.begin(), q.end(), 1.f);
    kernel.info.name = "k";
    kernel.info.headDim = kernel.info.valueDim = 2;
    kernel.info.scale = 1.f;
    kernel.queryBlock = kernel.threads = 4;
    arguments.q = makeView(q.data(), rows, 2);
    arguments.k = arguments.v = makeView(k.data(), 1, 2);
    arguments.o = makeView(o.data(), rows, 2);
    options.schedules = getSchedules(5);
  }

  static TensorView makeView(float *data, int64_t rows, int64_t stride) {
    return {data, ElementType::F32, {1, 1, rows, 2}, {rows * stride, rows * stride, stride, 1}};
  }

  /// The error of a launch, empty if there is none.
  std::string run(const std::string &ptx) {
    EmulatedKernel emulated;
    if (auto error = emulated.load(ptx, kernel))
      return "load: " + *error;
    BoundArguments bound;
    if (auto error = bindArguments(kernel.info, arguments, bound))
      return "bind: " + *error;
    std::optional<EmulationError> error = emulated.launch(bound, options);
    if (!error)
      return "";
    EXPECT_TRUE(error->isFault);
    return error->message;
  }

  std::vector<float> q, k, o;
  GpuKernel kernel;
  LaunchArguments arguments;
  EmulationOptions options;
};

} // namespace

TEST_F(EmulatedKernelTest, WritesBackWhatTheKernelHasComputed) {
  EXPECT_EQ(run(makePtx(copyRow)), "");
  for (size_t i = 0; i < o.size(); ++i)
    EXPECT_EQ(o[i], i < 2 * rows ? q[i] : -1.f) << i;
}

TEST_F(EmulatedKernelTest, KeepsStridesAndWhatLiesBetweenRows) {
  arguments.q = makeView(q.data() + 1, rows, 3);
  arguments.o = makeView(o.data() + 3, rows, 5);
  EXPECT_EQ(run(makePtx(copyRow)), "");
  for (size_t i = 0; i < o.size(); ++i) {
    size_t row = (i - 3) / 5, column = (i - 3) % 5;
    bool isElement = i >= 3 && row < rows && column < 2;
    EXPECT_EQ(o[i], isElement ? q[1 + 3 * row + column] : -1.f) << i;
  }
}

TEST_F(EmulatedKernelTest, NothingIsLaunchedWithoutRows) {
  arguments.q.sizes[2] = arguments.o.sizes[2] = 0;
  EXPECT_EQ(run(makePtx("trap;")), "");
}

TEST_F(EmulatedKernelTest, ElementsAreAlignedAsInTheMemoryOfTheProcess) {
  // Pairs of the aligned q are loaded at once; those of a q that begins in the middle are not.
  const char *pairs = "ld.global.v2.b32 {%r4, %r5}, [%d3];\n"
                      "st.global.b32 [%d5], %r4;\nst.global.b32 [%d5+4], %r5;\n";
  std::vector<float> aligned(64, 2.f);
  float *data = aligned.data();
  while (reinterpret_cast<uintptr_t>(data) % 16)
    ++data;
  arguments.q = makeView(data, rows, 2);
  EXPECT_EQ(run(makePtx(pairs)), "");
  arguments.q = makeView(data + 1, rows, 2);
  EXPECT_THAT(run(makePtx(pairs)), HasSubstr("fault: misaligned access"));
}

TEST_F(EmulatedKernelTest, ABufferEndsWithTheLastElement) {
  arguments.q = makeView(q.data(), rows, 3);
  // The third element of a row lies between the rows, and after the last row outside.
  std::string error = run(makePtx(std::string("ld.global.b32 %r4, [%d3+8];\n") + copyRow));
  EXPECT_THAT(error, HasSubstr("the emulator has found faults in the kernel `k`\nfault: "));
  EXPECT_THAT(error, HasSubstr("fault: uninitialised memory"));
  EXPECT_THAT(error, HasSubstr("fault: out of bounds"));
  EXPECT_THAT(error, HasSubstr("q"));
  EXPECT_EQ(o[0], -1.f);
}

TEST_F(EmulatedKernelTest, TensorsOfOneStorageShareABuffer) {
  // As k lies behind q in one storage, 6 elements beyond q are still inside.
  arguments.q = makeView(q.data(), rows, 4);
  arguments.k = {q.data() + 2, ElementType::F32, {1, 1, rows, 2}, {40, 40, 4, 1}};
  arguments.v = arguments.k;
  std::string body = std::string("ld.global.b32 %r4, [%d3+12];\n") + copyRow;
  EXPECT_EQ(run(makePtx(body)), "");
  arguments.k = arguments.v = makeView(k.data(), 1, 2);
  EXPECT_THAT(run(makePtx(body)), HasSubstr("fault: "));
}

TEST_F(EmulatedKernelTest, RepeatedElementsAreCopiedOnce) {
  constexpr int64_t many = 2147483647;
  kernel.info.extents = {"N"};
  kernel.info.captures = {{"t", ElementType::F32, {SizeExpr::symbol("N"), SizeExpr::symbol("N")}}};
  arguments.captures["t"] = {q.data(), ElementType::F32, {many, many}, {0, 0}};
  std::string ptx = makePtx(copyRow);
  ptx.replace(ptx.find("[208]"), 5, "[256]");
  EXPECT_EQ(run(ptx), "");
}

TEST_F(EmulatedKernelTest, NamesTheElementThatIsNotWritten) {
  EXPECT_EQ(
      run(makePtx("setp.eq.u32 %p2, %r3, 6;\n@%p2 bra DONE;\n" + std::string(copyRow))),
      "`o` [0, 0, 6, 0] was not written under the schedule round-robin, landing latest, seed 1");
}

TEST_F(EmulatedKernelTest, NamesTheElementThatDependsOnTheSchedule) {
  // Each block writes how many came before it.
  std::string body = "mov.u64 %d8, count;\natom.global.add.u32 %r6, [%d8], 1;\n" +
                     std::string(copyRow) + "st.global.b32 [%d5+4], %r6;\n";
  EXPECT_THAT(run(makePtx(body, ".global .u32 count;\n")),
              HasSubstr("`o` [0, 0, 0, 1] depends on the schedule: round-robin, landing latest, "
                        "seed 1 against round-robin, landing earliest, seed 1"));
  // Results of the first schedule alone, and of perturbed approximations, are compared with
  // nothing.
  options.perturbApproximations = true;
  EXPECT_EQ(run(makePtx(body, ".global .u32 count;\n")), "");
  options.perturbApproximations = false;
  options.schedules = {Schedule()};
  EXPECT_EQ(run(makePtx(body, ".global .u32 count;\n")), "");
}

TEST_F(EmulatedKernelTest, CountsWhatTheFirstScheduleDoes) {
  EmulatedKernel emulated;
  ASSERT_EQ(emulated.load(makePtx(copyRow), kernel), std::nullopt);
  BoundArguments bound;
  ASSERT_EQ(bindArguments(kernel.info, arguments, bound), std::nullopt);
  EXPECT_FALSE(emulated.launch(bound, options));
  EXPECT_EQ(emulated.getStatistics().globalBytes, 0u);
  options.countsStatistics = true;
  EXPECT_FALSE(emulated.launch(bound, options));
  // Each element is read and written once.
  EXPECT_EQ(emulated.getStatistics().globalBytes, 2u * rows * 2 * sizeof(float));
}

TEST_F(EmulatedKernelTest, RefusesAFileWithoutTheKernel) {
  kernel.info.name = "other";
  EXPECT_EQ(run(makePtx(copyRow)), "load: there is no kernel `other`");
  EXPECT_THAT(run("nonsense"), HasSubstr("load: PTX:1:1: error: "));
}

TEST_F(EmulatedKernelTest, RefusesAKernelWithOtherParameters) {
  std::string ptx = makePtx(copyRow);
  ptx.replace(ptx.find("[208]"), 5, "[216]");
  EXPECT_EQ(run(ptx), "the kernel `k` does not take one parameter of 208 bytes");
}
