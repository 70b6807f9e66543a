//===- LaunchTest.cpp - Tests of launches through the API -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/api/Allocations.h"
#include "test/unit/api/Probe.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <thread>

using namespace attnc;
using namespace attnc::test;

namespace {
Kernel loadProbe(const Device &device) {
  return Kernel::load(device, getProbe().data(), getProbe().size());
}
} // namespace

TEST(ApiLaunch, ComputesWithAllArguments) {
  for (int64_t headDim : {4, 8})
    for (int threads : {1, 3}) {
      Probe probe(headDim);
      probe.flag = threads == 3;
      Launch launch = probe.bind(loadProbe(Device::host(threads)));
      launch();
      EXPECT_TRUE(probe.isRight()) << headDim << " " << threads;
    }
}

TEST(ApiLaunch, UnsignedScalarsAreFloatsToo) {
  Probe probe;
  Launch launch = probe.bind(loadProbe(Device::host()));
  launch.set("cap", std::numeric_limits<uint64_t>::max());
  probe.cap = 18446744073709551616.0f;
  launch();
  EXPECT_TRUE(probe.isRight());
}

// A launch keeps what it needs; handles go in any order.
TEST(ApiLaunch, HandlesAreReleasedInAnyOrder) {
  Probe probe;
  attnc_device_t *device = nullptr;
  attnc_kernel_t *kernel = nullptr;
  attnc_launch_t *launch = nullptr;
  ASSERT_EQ(attnc_device_open("host", nullptr, &device), ATTNC_OK);
  ASSERT_EQ(attnc_kernel_load(device, getProbe().data(), getProbe().size(), &kernel), ATTNC_OK);
  EXPECT_EQ(attnc_device_release(device), ATTNC_OK);
  ASSERT_EQ(attnc_launch_create(kernel, &launch), ATTNC_OK);
  EXPECT_EQ(attnc_kernel_release(kernel), ATTNC_OK);
  EXPECT_EQ(attnc_launch_release(launch), ATTNC_OK);
  EXPECT_EQ(attnc_launch_release(nullptr), ATTNC_OK);
}

TEST(ApiLaunch, DescribesItsKernels) {
  Device device = Device::host(3);
  EXPECT_STREQ(device.info().name, "host");
  EXPECT_STREQ(device.info().description, "CPU, 3 threads");
  EXPECT_EQ(device.info().threads, 3);
  EXPECT_EQ(device.info().dl_device.device_type, kDLCPU);
  Kernel kernel = Kernel::loadFile(device, ATTNC_PROBE);
  ASSERT_EQ(kernel.variantCount(), 2u);
  size_t index = std::string(kernel.variant(0).name) == "probe_f32_d4" ? 0 : 1;
  attnc_variant_info_t variant = kernel.variant(index);
  EXPECT_STREQ(variant.name, "probe_f32_d4");
  EXPECT_STREQ(variant.arch, "");
  EXPECT_EQ(variant.dtype.code, kDLFloat);
  EXPECT_EQ(variant.dtype.bits, 32);
  EXPECT_EQ(variant.head_dim, 4);
  EXPECT_EQ(variant.value_dim, 2);
  EXPECT_TRUE(variant.has_lse);
  EXPECT_TRUE(variant.takes_scale);
  EXPECT_EQ(kernel.variant(1 - index).scale, 0.5f);
  std::string text;
  for (size_t i = 0; i < variant.argument_count; ++i) {
    attnc_argument_info_t argument = kernel.argument(index, i);
    text += std::string(argument.name) + " " + std::to_string(argument.kind) + " " +
            std::to_string(argument.layout) + " " + std::to_string(argument.dtype.code) + ":" +
            std::to_string(argument.dtype.bits);
    for (int d = 0; d < argument.rank; ++d)
      text += std::string(d ? ", " : " [") + argument.shape[d];
    text += argument.rank ? "]\n" : "\n";
  }
  EXPECT_EQ(text, "q 1 1 2:32 [B, Hq, Q, 4]\nk 1 1 2:32 [B, Hkv, KV, 4]\n"
                  "v 1 1 2:32 [B, Hkv, KV, 2]\no 2 1 2:32 [B, Hq, Q, 2]\n"
                  "lse 2 1 2:32 [B, Hq, Q]\ndoc 3 1 0:32 [B, KV]\npos 3 1 0:32\n"
                  "on 3 1 6:8 [N, N + 1]\ncap 4 0 2:32\nshift 4 0 0:8\nflag 4 0 6:8\n"
                  "scale 4 0 2:32\n");
}

// The same elements in other layouts, with gaps, at an offset, as bytes for bools.
TEST(ApiLaunch, TakesTensorsAsTheyLie) {
  Probe probe;
  Kernel kernel = loadProbe(Device::host(2));
  Launch launch = probe.bind(kernel);
  std::vector<float> q(probe.q.size()), o(probe.o.size() * 2);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 4; ++h)
      for (int64_t row = 0; row < 20; ++row)
        q[static_cast<size_t>(((b * 20 + row) * 4 + h) * 4)] =
            probe.q[static_cast<size_t>(((b * 4 + h) * 20 + row) * 4)];
  launch.set("q", bshd(q.data(), 2, 20, 4, 4));
  launch.set("o", Tensor(o.data(), {2, 4, 20, 2}, {1280, 320, 16, 4}));
  Tensor bools(probe.on, {2, 3});
  DLTensor on = bools.get();
  on.dtype = {kDLUInt, 8, 1};
  uint8_t bytes[7 + 6] = {0, 0, 0, 0, 0, 0, 0, 1};
  on.data = bytes;
  on.byte_offset = 7;
  on.strides = nullptr;
  ASSERT_TRUE(launch.trySet("on", on)) << launch.trySet("on", on).message();
  launch.set("flag", true);
  probe.flag = true;
  launch();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 4; ++h)
      for (int64_t row = 0; row < 20; ++row) {
        size_t place = static_cast<size_t>(((b * 4 + h) * 20 + row) * 4);
        ASSERT_EQ(o[place], probe.getExpected(b, h, row));
        ASSERT_EQ(o[place + 2], 0.0f);
      }
}

TEST(ApiLaunch, PackedTokensAreOneBatch) {
  std::vector<float> data(60);
  Tensor packed = thd(data.data(), 5, 3, 4);
  DLTensor tensor = packed.get();
  EXPECT_EQ(tensor.ndim, 4);
  const int64_t shape[] = {1, 3, 5, 4}, strides[] = {60, 4, 12, 1};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(tensor.shape[i], shape[i]);
    EXPECT_EQ(tensor.strides[i], strides[i]);
  }
}

TEST(ApiLaunch, EmptyTensorsAreLaunched) {
  Probe probe(4, 0);
  Launch launch = probe.bind(loadProbe(Device::host(2)));
  launch.set("q", Tensor(static_cast<float *>(nullptr), {2, 4, 0, 4}));
  launch();
  size_t size = 1;
  EXPECT_EQ(attnc_launch_get_workspace(launch.get(), &size, nullptr), ATTNC_OK);
  EXPECT_EQ(size, 0u);
}

// Once it is prepared, other addresses and numbers are taken without checks of all the rest.
TEST(ApiLaunch, ChangesBetweenLaunches) {
  Probe probe;
  Launch launch = probe.bind(loadProbe(Device::host(2)));
  launch();
  ASSERT_TRUE(probe.isRight());
  Probe other;
  for (float &x : other.q)
    x += 1;
  other.pos = 5;
  other.cap = 4;
  other.shift = 9;
  other.flag = true;
  other.scale = 3;
  launch.set("q", other.getQ()).set("o", other.getO()).set("lse", other.getLse());
  launch.set("pos", Tensor(&other.pos, {})).set("cap", 4.0).set("shift", 9).set("flag", true);
  launch.set("scale", 3.0f);
  size_t index = 0;
  ASSERT_EQ(attnc_launch_get_variant(launch.get(), &index), ATTNC_OK);
  launch();
  EXPECT_TRUE(other.isRight());
  // Another length asks for all checks again, and keeps what was set meanwhile.
  Probe longer(4, 33);
  longer.cap = 4;
  longer.shift = 9;
  longer.flag = true;
  longer.scale = 3;
  longer.pos = 5;
  launch.set("q", longer.getQ()).set("o", longer.getO()).set("lse", longer.getLse());
  EXPECT_EQ(attnc_launch_get_variant(launch.get(), &index), ATTNC_INVALID_ARGUMENT);
  launch();
  EXPECT_TRUE(longer.isRight());
}

// What is in memory counts when it runs: a position that grows needs no call at all.
TEST(ApiLaunch, ReadsCapturedMemoryAtEachLaunch) {
  Probe probe;
  Launch launch = probe.bind(loadProbe(Device::host(1)));
  for (int step = 0; step < 1000; ++step) {
    probe.pos = step;
    launch();
    ASSERT_TRUE(probe.isRight());
  }
}

TEST(ApiLaunch, AllocatesNothing) {
  for (int threads : {1, 4}) {
    Probe probe(4, 100);
    Launch launch = probe.bind(loadProbe(Device::host(threads)));
    launch();
    Tensor view = probe.getQ();
    DLTensor q = view.get();
    int64_t before = countAllocations();
    for (int i = 0; i < 100; ++i) {
      q.data = probe.q.data();
      attnc_launch_set_tensor(launch.get(), "q", &q);
      attnc_launch_set_float(launch.get(), "cap", 2);
      ASSERT_EQ(attnc_launch_run(launch.get(), nullptr), ATTNC_OK);
    }
    for (int i = 0; i < 100; ++i) {
      launch.set("cap", 2);
      launch();
    }
    EXPECT_EQ(countAllocations(), before);
    EXPECT_TRUE(probe.isRight());
  }
}

TEST(ApiLaunch, WorkspaceOfTheCaller) {
  Probe probe(4, 100);
  Launch launch = probe.bind(loadProbe(Device::host(2)));
  ASSERT_EQ(attnc_launch_prepare(launch.get()), ATTNC_OK);
  size_t size = 0, alignment = 0;
  ASSERT_EQ(attnc_launch_get_workspace(launch.get(), &size, &alignment), ATTNC_OK);
  EXPECT_EQ(size, 2 * 128u);
  EXPECT_EQ(alignment, 64u);
  alignas(64) char memory[256 + 1] = {};
  ASSERT_EQ(attnc_launch_set_workspace(launch.get(), memory, size), ATTNC_OK);
  ASSERT_EQ(attnc_launch_run(launch.get(), nullptr), ATTNC_OK);
  EXPECT_TRUE(probe.isRight());
  EXPECT_EQ(memory[0], 1);
  EXPECT_EQ(memory[256], 0);
}

namespace {
struct Loop {
  int calls = 0;
  int64_t count = 0;
};

/// A parallel loop of a caller: a thread for each number.
void runLoop(void *context, int64_t count, void (*body)(void *, int64_t), void *argument) {
  auto *loop = static_cast<Loop *>(context);
  ++loop->calls;
  loop->count = count;
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < count; ++i)
    threads.emplace_back(body, argument, i);
  for (std::thread &thread : threads)
    thread.join();
}
} // namespace

TEST(ApiLaunch, ThreadsOfTheCaller) {
  Loop loop;
  attnc_device_options_t options{};
  options.struct_size = sizeof options;
  options.threads = 3;
  options.parallel_for = runLoop;
  options.parallel_for_context = &loop;
  Device device = Device::open("host", &options);
  EXPECT_STREQ(device.info().description, "CPU, 3 threads of the caller");
  Kernel kernel = loadProbe(device);
  Probe probe(4, 100);
  probe.bind(kernel)();
  EXPECT_TRUE(probe.isRight());
  EXPECT_EQ(loop.calls, 1);
  EXPECT_EQ(loop.count, 3);
}

TEST(ApiLaunch, PartsOfTheCaller) {
  for (int parts : {1, 2, 5, 8})
    for (int64_t queries : {1, 100}) {
      Probe probe(4, queries);
      Launch launch = probe.bind(loadProbe(Device::host(8)));
      launch.prepare();
      std::vector<std::thread> threads;
      for (int part = 0; part < parts; ++part)
        threads.emplace_back([&launch, part, parts] { launch.runPart(part, parts); });
      for (std::thread &thread : threads)
        thread.join();
      EXPECT_TRUE(probe.isRight()) << parts;
    }
}

// Handles of devices and kernels are for all threads.
TEST(ApiLaunch, ManyThreads) {
  Device device = Device::host(2);
  Kernel shared = loadProbe(device);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        Probe probe(t % 2 ? 4 : 8);
        probe.pos = t * 100 + i;
        Kernel own = loadProbe(device);
        Launch launch = probe.bind(i % 2 ? own : shared);
        launch();
        wrong += !probe.isRight();
        attnc_launch_set_tensor(launch.get(), "nothing", nullptr);
        wrong += std::string(attnc_launch_message(launch.get())) !=
                 "`nothing`: expected a pointer, got NULL";
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

namespace {
/// A global of a program, which goes after what its uses have made.
struct LastLaunch {
  Probe probe;
  std::optional<Launch> launch;

  ~LastLaunch() {
    if (!launch)
      return;
    std::fill(probe.o.begin(), probe.o.end(), 0.0f);
    bool isRight = launch->tryRun() && probe.isRight();
    // In what the library has given back by now it writes no more.
    const std::vector<char> block(512, 'x');
    const std::vector<std::vector<char>> blocks(64, block);
    isRight &= !launch->trySet("nothing", 1.0f);
    launch.reset();
    if (!isRight || std::any_of(blocks.begin(), blocks.end(), [&](auto &b) { return b != block; }))
      std::_Exit(1);
  }
};
} // namespace

TEST(ApiLaunch, GlobalsLaunchAndReleaseAtExit) {
  // In a process of its own: a fork would leave the threads of other tests behind.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static LastLaunch last;
        Kernel kernel = loadProbe(Device::host(2));
        Probe().bind(kernel)();
        last.launch.emplace(last.probe.bind(kernel));
        EXPECT_FALSE(last.launch->trySet("nothing", 1.0f));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}
