//===- PlanTest.cpp - Tests of plans through the API ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/attnc.hpp"
#include "test/unit/api/Allocations.h"
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>

using namespace attnc;
using namespace attnc::test;

namespace {
const std::string program = "doc: i32[B, KV]\n"
                            "window: i32\n"
                            "def mask_mod(b, h, q_idx, kv_idx):\n"
                            "    return (q_idx >= kv_idx) & (q_idx - kv_idx < window) & "
                            "(doc[b, q_idx] == doc[b, kv_idx])\n";

/// What these tests compile is kept in memory alone.
Kernel compile(const std::string &text, const Device &device, const Options &options) {
  attnc_cache_options_t cache{};
  cache.struct_size = sizeof cache;
  cache.folder = "";
  EXPECT_EQ(attnc_cache_configure(&cache), ATTNC_OK);
  return jit(text, options, device);
}

class Plans : public testing::Test {
protected:
  static constexpr int64_t heads = 4, dim = 8;
  Device device = Device::host(2);
  Kernel kernel = compile(program, device, {"f32", "8"});
  std::vector<float> q, k, v, o;
  std::vector<int32_t> doc;

  Launch bind(const Kernel &bound, int64_t batches, int64_t queries, int64_t keys,
              int window = 100) {
    auto fill = [&](std::vector<float> &data, int64_t rows, float step) {
      data.resize(static_cast<size_t>(batches * heads * rows * dim));
      for (size_t i = 0; i < data.size(); ++i)
        data[i] = std::sin(step * static_cast<float>(i));
    };
    fill(q, queries, 1);
    fill(k, keys, 0.7f);
    fill(v, keys, 0.3f);
    o.assign(q.size(), 0);
    doc.resize(static_cast<size_t>(batches * keys));
    for (size_t i = 0; i < doc.size(); ++i)
      doc[i] = static_cast<int32_t>(i / 150);
    Launch launch = bound.bind(
        bhsd(q.data(), batches, heads, queries, dim), bhsd(k.data(), batches, heads, keys, dim),
        bhsd(v.data(), batches, heads, keys, dim), bhsd(o.data(), batches, heads, queries, dim));
    launch.set("doc", Tensor(doc.data(), {batches, keys})).set("window", window);
    return launch;
  }

  /// What preparing a launch with the plan says.
  static std::string refuse(Launch &launch, const Plan &plan) {
    launch.setPlan(plan);
    return launch.tryPrepare().message();
  }

  std::string getPath() const { return testing::TempDir() + "attnc-api.plan"; }
};

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}
} // namespace

// With a plan a launch writes what it writes without; parts and the caller's loops too.
TEST_F(Plans, LaunchesWithAPlan) {
  Launch launch = bind(kernel, 2, 700, 700);
  launch();
  std::vector<float> expected = o;
  Plan plan = launch.makePlan();
  launch.verifyPlan(plan);
  auto expectRight = [&](const std::function<void()> &run) {
    o.assign(o.size(), -1);
    run();
    for (size_t i = 0; i < o.size(); ++i)
      ASSERT_NEAR(o[i], expected[i], 1e-6) << i;
  };
  launch.setPlan(plan);
  expectRight([&] { launch(); });
  expectRight([&] {
    launch.runPart(1, 2);
    launch.runPart(0, 2);
  });
  // A launch allocates nothing.
  int64_t before = countAllocations();
  launch();
  EXPECT_EQ(countAllocations(), before);
  launch.clearPlan();
  expectRight([&] { launch(); });
}

TEST_F(Plans, CallersWithThreadsOfTheirOwn) {
  static int calls = 0;
  attnc_device_options_t options{};
  options.struct_size = sizeof options;
  options.threads = 3;
  options.parallel_for = [](void *, int64_t parts, void (*body)(void *, int64_t), void *argument) {
    ++calls;
    for (int64_t i = 0; i < parts; ++i)
      body(argument, i);
  };
  Kernel own = compile(program, Device::open("host", &options), {"f32", "8"});
  Launch launch = bind(own, 1, 300, 300);
  launch();
  std::vector<float> expected = o;
  launch.setPlan(launch.makePlan());
  o.assign(o.size(), -1);
  launch();
  EXPECT_EQ(calls, 2);
  for (size_t i = 0; i < o.size(); ++i)
    ASSERT_NEAR(o[i], expected[i], 1e-6) << i;
}

TEST_F(Plans, Info) {
  Launch launch = bind(kernel, 2, 512, 512, 64);
  attnc_plan_options_t options{};
  options.struct_size = sizeof options;
  options.block_queries = options.block_keys = 64;
  options.refine = 1;
  Plan plan = launch.makePlan(&options);
  attnc_plan_info_t info = plan.info();
  EXPECT_EQ(info.block_queries, 64);
  EXPECT_EQ(info.block_keys, 64);
  EXPECT_EQ(info.batches, 2);
  EXPECT_EQ(info.heads, 4);
  EXPECT_EQ(info.queries, 512);
  EXPECT_EQ(info.keys, 512);
  EXPECT_EQ(info.per_batch, 1);
  EXPECT_EQ(info.per_head, 0);
  EXPECT_EQ(info.full, 0);
  EXPECT_EQ(info.full + info.partial + info.empty, 2 * 8 * 8);
  // The diagonal and the block before it, where documents do not part them.
  EXPECT_GE(info.partial, 2 * 8);
  EXPECT_LE(info.partial, 2 * 15);
  EXPECT_DOUBLE_EQ(info.sparsity, static_cast<double>(info.empty) / 128);
  EXPECT_DOUBLE_EQ(info.pairs, static_cast<double>(info.partial) * 64 * 64 * 4);
  EXPECT_GT(info.bytes, 0);
  EXPECT_LT(info.bytes, 10000);
}

// One plan is for all layers: kernels of other types and head dims, at the same time.
TEST_F(Plans, AreShared) {
  Launch first = bind(kernel, 1, 300, 300);
  Plan plan = first.makePlan();
  Options options{"f32,bf16", "8,16"};
  options.name = "layer.attn";
  Kernel other = compile(program, device, options);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      std::vector<bf16> data(static_cast<size_t>(heads * 300 * 16)), out(data.size());
      auto view = [](auto &elements) { return bhsd(elements.data(), 1, heads, 300, 16); };
      Launch launch = other.bind(view(data), view(data), view(data), view(out));
      launch.set("doc", Tensor(doc.data(), {1, 300})).set("window", 100).setPlan(plan);
      launch();
      EXPECT_GT(plan.info().full + plan.info().partial, 0);
    });
  for (std::thread &thread : threads)
    thread.join();
}

// A plan outlives its handle where a launch has it, and the launch that it was made for.
TEST_F(Plans, AreKept) {
  Launch launch = bind(kernel, 1, 300, 300);
  launch.setPlan(launch.makePlan());
  launch();
  Plan plan = bind(kernel, 1, 300, 300).makePlan();
  EXPECT_EQ(plan.info().queries, 300);
}

TEST_F(Plans, EmptyTensors) {
  for (auto [batches, queries, keys] :
       {std::tuple(0, 5, 5), std::tuple(1, 0, 5), std::tuple(1, 5, 0)}) {
    Launch launch = bind(kernel, batches, queries, keys);
    Plan plan = launch.makePlan();
    launch.setPlan(plan).verifyPlan(plan);
    launch();
    EXPECT_EQ(plan.info().pairs, 0);
  }
}

// What a plan was not made for is refused, and the launch goes on without it.
TEST_F(Plans, OtherLaunches) {
  Launch made = bind(kernel, 2, 300, 300);
  Plan plan = made.makePlan();
  Launch longer = bind(kernel, 2, 301, 301);
  EXPECT_EQ(refuse(longer, plan), "the plan was made for Q (queries) = 300, the launch has 301");
  EXPECT_EQ(longer.tryRun().status(), ATTNC_INVALID_ARGUMENT);
  longer.clearPlan()();
  Launch keys = bind(kernel, 2, 300, 310);
  EXPECT_EQ(refuse(keys, plan), "the plan was made for KV (keys) = 300, the launch has 310");
  Launch batches = bind(kernel, 3, 300, 300);
  EXPECT_EQ(refuse(batches, plan), "the plan was made for B (batches) = 2, the launch has 3");
  Launch window = bind(kernel, 2, 300, 300, 50);
  EXPECT_EQ(refuse(window, plan), "the plan was made for `window` = 100, the launch has 50");
  EXPECT_STREQ(window.tryVerifyPlan(plan).message(),
               "the plan was made for `window` = 100, the launch has 50");

  Kernel byHead = compile("window: i32[Hq]\n"
                          "def mask_mod(b, h, q_idx, kv_idx):\n"
                          "    return q_idx - kv_idx < window[h]\n",
                          device, {"f32", "8"});
  EXPECT_EQ(refuse(made,
                   [&] {
                     std::vector<int32_t> windows(4, 9);
                     auto view = [](auto &data) { return bhsd(data.data(), 2, 4, 300, 8); };
                     Launch launch = byHead.bind(view(q), view(k), view(v), view(o));
                     launch.set("window", Tensor(windows.data(), {4}));
                     return launch.makePlan();
                   }()),
            "the plan was made for another mask than that of kernel `attn_f32_d8`");
  // Heads count where the mask tells them apart.
  std::vector<int32_t> windows(8, 9);
  auto bindHeads = [&](int64_t count) {
    auto view = [&](auto &data) { return bhsd(data.data(), 1, count, 20, 8); };
    Launch launch = byHead.bind(view(q), view(k), view(v), view(o));
    launch.set("window", Tensor(windows.data(), {count}));
    return launch;
  };
  Launch eight = bindHeads(8);
  EXPECT_EQ(refuse(eight, bindHeads(4).makePlan()),
            "the plan was made for Hq (query heads) = 4, the launch has 8");

  attnc_plan_options_t options{};
  options.struct_size = sizeof options;
  options.block_queries = 100000;
  made.clearPlan();
  const std::string queries = refuse(made, made.makePlan(&options)),
                    tooMany = "the plan has blocks of 100000 queries, kernel `attn_f32_d8` takes "
                              "at most ";
  EXPECT_EQ(queries.substr(0, tooMany.size()), tooMany);
  options.block_queries = -1;
  options.block_keys = 64;
  EXPECT_STREQ(made.clearPlan().tryMakePlan(&options).message(),
               "a plan needs blocks of at least 1 query and 1 key, got -1 x 64");
}

// A scalar of the mask that changes on a launch that is prepared is refused, and stays as it was.
TEST_F(Plans, ScalarsOfTheMask) {
  Launch launch = bind(kernel, 1, 300, 300);
  launch();
  std::vector<float> expected = o;
  launch.setPlan(launch.makePlan()).prepare();
  EXPECT_STREQ(launch.trySet("window", 50).message(),
               "the plan was made for `window` = 100, the launch has 50");
  EXPECT_TRUE(launch.trySet("window", 100));
  launch();
  for (size_t i = 0; i < o.size(); ++i)
    ASSERT_NEAR(o[i], expected[i], 1e-6) << i;
  launch.clearPlan().set("window", 50).prepare();
}

// Tables that change are found by verifying alone.
TEST_F(Plans, Verifying) {
  Launch launch = bind(kernel, 1, 300, 300);
  attnc_plan_options_t options{};
  options.struct_size = sizeof options;
  options.block_queries = options.block_keys = 16;
  Plan plan = launch.makePlan(&options);
  launch.verifyPlan(plan);
  std::fill(doc.begin(), doc.end(), 1);
  Result<void> result = launch.tryVerifyPlan(plan);
  EXPECT_EQ(result.status(), ATTNC_INVALID_ARGUMENT);
  const std::string message = result.message();
  EXPECT_EQ(message.substr(0, message.find("key blocks")), "the plan does not hold: ");
  EXPECT_NE(message.find("are empty in the plan, but pairs of them take part"), std::string::npos)
      << message;
}

TEST_F(Plans, Files) {
  Launch launch = bind(kernel, 2, 300, 300);
  launch();
  std::vector<float> expected = o;
  Plan plan = launch.makePlan();
  plan.save(getPath().c_str());
  Plan loaded = Plan::load(getPath().c_str());
  EXPECT_EQ(loaded.info().partial, plan.info().partial);
  EXPECT_EQ(loaded.info().bytes, plan.info().bytes);
  o.assign(o.size(), -1);
  launch.setPlan(loaded)();
  for (size_t i = 0; i < o.size(); ++i)
    ASSERT_NEAR(o[i], expected[i], 1e-6) << i;

  auto load = [&](const std::string &text) {
    write(getPath(), text);
    Result<Plan> result = Plan::tryLoad(getPath().c_str());
    EXPECT_EQ(result.status(), ATTNC_UNAVAILABLE);
    std::string message = result.message(), prefix = "`" + getPath() + "`: ";
    EXPECT_EQ(message.substr(0, prefix.size()), prefix);
    return message.substr(prefix.size());
  };
  plan.save(getPath().c_str());
  const std::string good = read(getPath());
  EXPECT_EQ(load(""), "not a plan");
  EXPECT_EQ(load("hello, this is a text"), "not a plan");
  std::string other = good;
  other[8] = 9;
  EXPECT_EQ(load(other), "expected a plan of version 1, got version 9");
  std::string torn = good.substr(0, good.size() - 4);
  EXPECT_EQ(load(torn), "the plan is damaged: its checksum does not match");
  std::string flipped = good;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  EXPECT_EQ(load(flipped), "the plan is damaged: its checksum does not match");
  std::remove(getPath().c_str());
  Result<Plan> missing = Plan::tryLoad(getPath().c_str());
  EXPECT_EQ(missing.message(),
            "`" + getPath() + "`: cannot read the plan: No such file or directory");
  EXPECT_STREQ(plan.trySave("/nowhere/x.plan").message(),
               "`/nowhere/x.plan`: cannot write the plan: No such file or directory");
  EXPECT_EQ(plan.trySave("/nowhere/x.plan").status(), ATTNC_UNAVAILABLE);
}

#define EXPECT_REFUSED(call, message, text)                                                        \
  EXPECT_EQ(call, ATTNC_INVALID_ARGUMENT);                                                         \
  EXPECT_EQ(std::string(message), text)

TEST_F(Plans, WrongArguments) {
  Launch launch = bind(kernel, 1, 40, 40);
  attnc_launch_t *raw = launch.get();
  attnc_plan_t *plan = nullptr;
  auto message = [&] { return attnc_launch_message(raw); };
  const char *unprepared = "expected a launch that attnc_launch_prepare has prepared";
  EXPECT_REFUSED(attnc_plan_create(raw, nullptr, &plan), message(), unprepared);
  Plan made = launch.makePlan();
  EXPECT_REFUSED(attnc_plan_create(raw, nullptr, nullptr), message(),
                 "`plan`: expected a pointer, got NULL");
  attnc_plan_options_t options{};
  EXPECT_REFUSED(attnc_plan_create(raw, &options, &plan), message(),
                 "`options`: expected a struct_size of at least 32, got 0");
  EXPECT_REFUSED(attnc_launch_verify_plan(raw, nullptr), message(),
                 "`plan`: expected a handle, got NULL");
  EXPECT_EQ(plan, nullptr);
  auto none = [] { return attnc_plan_message(nullptr); };
  EXPECT_REFUSED(attnc_plan_create(nullptr, nullptr, &plan), none(),
                 "`launch`: expected a handle, got NULL");
  EXPECT_REFUSED(attnc_launch_set_plan(nullptr, made.get()), none(),
                 "`launch`: expected a handle, got NULL");
  EXPECT_REFUSED(attnc_launch_verify_plan(nullptr, made.get()), none(),
                 "`launch`: expected a handle, got NULL");
  EXPECT_REFUSED(attnc_plan_load(nullptr, &plan), none(), "`path`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_plan_load("x", nullptr), none(), "`plan`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_plan_save(nullptr, "x"), none(), "`plan`: expected a handle, got NULL");
  EXPECT_REFUSED(attnc_plan_get_info(nullptr, nullptr), none(),
                 "`plan`: expected a handle, got NULL");
  auto own = [&] { return attnc_plan_message(made.get()); };
  EXPECT_REFUSED(attnc_plan_save(made.get(), nullptr), own(),
                 "`path`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_plan_get_info(made.get(), nullptr), own(),
                 "`info`: expected a pointer, got NULL");
  attnc_plan_info_t info{};
  EXPECT_REFUSED(attnc_plan_get_info(made.get(), &info), own(),
                 "`info`: expected a struct_size of at least 112, got 0");

  ASSERT_EQ(attnc_plan_create(raw, nullptr, &plan), ATTNC_OK);
  ASSERT_EQ(attnc_plan_release(plan), ATTNC_OK);
  ASSERT_EQ(attnc_plan_release(nullptr), ATTNC_OK);
  const char *released = "`plan`: expected a handle, got one that was released";
  EXPECT_REFUSED(attnc_plan_release(plan), none(), released);
  EXPECT_REFUSED(attnc_plan_save(plan, "x"), none(), released);
  EXPECT_REFUSED(attnc_launch_set_plan(raw, plan), message(), released);
  EXPECT_REFUSED(attnc_launch_verify_plan(raw, plan), message(), released);
}

// Kernels for GPUs find empty blocks as they run.
TEST_F(Plans, OtherDevices) {
  Kernel emulated = compile(program, Device::open("emulator"), {"f32", "8"});
  Launch launch = bind(emulated, 1, 40, 40);
  const std::string message =
      "`launch`: expected a kernel on the device `host`, which alone has plans, got one on "
      "`emulator`";
  EXPECT_EQ(launch.tryMakePlan().message(), message);
  Plan plan = bind(kernel, 1, 40, 40).makePlan();
  EXPECT_EQ(launch.trySetPlan(plan).message(), message);
  EXPECT_EQ(launch.tryVerifyPlan(plan).message(), message);
}
