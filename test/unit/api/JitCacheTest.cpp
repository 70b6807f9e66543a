//===- JitCacheTest.cpp - Tests of the caches of compiled kernels ---------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/attnc.hpp"
#include "test/unit/api/Allocations.h"
#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace attnc;
using namespace attnc::test;
namespace fs = std::filesystem;

namespace {
/// Each test begins with an empty cache on disk.
class JitCache : public testing::Test {
protected:
  JitCache() {
    char path[] = "/tmp/attnc-jit-XXXXXX";
    root = mkdtemp(path);
    folder = root + "/cache";
    configure(folder);
    before = getInfo();
  }
  ~JitCache() override {
    configure("");
    fs::remove_all(root);
  }

  static void configure(const std::string &folder, int32_t maxKernels = 0) {
    attnc_cache_options_t options{};
    options.struct_size = sizeof options;
    options.folder = folder.c_str();
    options.max_kernels = maxKernels;
    ASSERT_EQ(attnc_cache_configure(&options), ATTNC_OK);
  }

  static attnc_cache_info_t getInfo() {
    attnc_cache_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(attnc_cache_get_info(&info), ATTNC_OK);
    return info;
  }

  /// Compilations, hits in memory and hits on disk since the last time.
  std::string count() {
    attnc_cache_info_t now = getInfo();
    std::string text = std::to_string(now.compilations - before.compilations) + " " +
                       std::to_string(now.memory_hits - before.memory_hits) + " " +
                       std::to_string(now.disk_hits - before.disk_hits);
    before = now;
    return text;
  }

  std::string root, folder;
  attnc_cache_info_t before;
};

const std::string program = "window: i32 = 5\n"
                            "mask_mod = and_masks(causal, sliding_window(window))\n";

/// The first output of a launch with keys 0 to `length` - 1 as values.
float run(const Kernel &kernel, int64_t length) {
  std::vector<float> q(static_cast<size_t>(length * 8)), k(q.size()), v(q.size()), o(q.size());
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<float>(i / 8);
  auto view = [&](std::vector<float> &data) { return bhsd(data.data(), 1, 1, length, 8); };
  kernel.bind(view(q), view(k), view(v), view(o))();
  return o[static_cast<size_t>((length - 1) * 8)];
}
} // namespace

TEST_F(JitCache, SameKernelsAreCompiledOnce) {
  Device device = Device::host(1);
  Kernel first = jit(program, {"f32", "8"}, device);
  EXPECT_EQ(count(), "1 0 0");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(run(jit(program, {"f32", "8"}, device), 10), 7);
  EXPECT_EQ(count(), "0 3 0");
  // Another handle of the same device has a memory of its own, and the disk in common.
  EXPECT_EQ(run(jit(program, {"f32", "8"}, Device::host(2)), 10), 7);
  EXPECT_EQ(count(), "0 0 1");
}

// All that code depends on tells kernels apart; nothing else does.
TEST_F(JitCache, WhatMakesAnotherKernel) {
  Device device = Device::host(1);
  std::vector<std::pair<std::string, Options>> all(9, {program, {"f32", "8"}});
  all[1].first = "window: i32 = 4\n"
                 "mask_mod = and_masks(causal, sliding_window(window))\n";
  all[2].second.dtypes = "f16";
  all[3].second.headDims = "16";
  all[4].second.lse = true;
  all[5].second.name = "other.attn";
  all[6].second.defines = {"window=6"};
  all[7].second.defines = {"window=7"};
  all[8].second.approximate = "tanh";
  for (const auto &[text, options] : all)
    jit(text, options, device);
  EXPECT_EQ(count(), "9 0 0");
  for (const auto &[text, options] : all)
    jit(text, options, device);
  EXPECT_EQ(count(), "0 9 0");
  jit(program, {"f32", "8"}, Device::open("emulator"));
  EXPECT_EQ(count(), "1 0 0");
  EXPECT_EQ(getInfo().disk_entries, 10);
  Device emulator = Device::open("emulator");
  Options options{"f32", "8"};
  for (int i = 0; i < 2; ++i)
    for (const char *products : {"tf32", "tf32x3"}) {
      options.products = products;
      jit(program, options, emulator);
    }
  EXPECT_EQ(count(), "2 2 0");
}

// Comments, spaces, names of parameters and locals, and a constant that is defined as it is.
TEST_F(JitCache, WhatDoesNotMatter) {
  const std::string plain = "slopes: f32[Hq]\n"
                            "def score_mod(score, b, h, q_idx, kv_idx):\n"
                            "    bias = slopes[h] * (kv_idx - q_idx)\n"
                            "    return score + bias\n";
  const std::string commented = "# ALiBi\n"
                                "slopes: f32[Hq]   # one a head\n"
                                "\n"
                                "def score_mod(score, b, h, q_idx, kv_idx):\n"
                                "  bias = slopes[h]*(kv_idx-q_idx)  # of the distance\n"
                                "  return score + bias";
  const std::string renamed = "slopes: f32[Hq]\n"
                              "def score_mod(s, batch, head, i, j):\n"
                              "    product = slopes[head] * (j - i)\n"
                              "    return s + product\n";
  const std::string other = "slopes: f32[Hq]\n"
                            "def score_mod(score, b, h, q_idx, kv_idx):\n"
                            "    return score + slopes[h] * (kv_idx - q_idx + 1)\n";
  const Options options{"f32", "8"};
  Device device = Device::host(1);
  jit(plain, options, device);
  EXPECT_EQ(count(), "1 0 0");
  jit(commented, options, device);
  jit(renamed, options, device);
  EXPECT_EQ(count(), "0 2 0");
  jit(other, options, device);
  EXPECT_EQ(count(), "1 0 0");
  EXPECT_EQ(getInfo().disk_entries, 2);
  // On disk too, for a text that is new.
  jit(commented + "  # again\n", options, Device::host(1));
  jit(commented + "  # again\n", options, Device::host(1));
  EXPECT_EQ(count(), "0 0 2");
  // Names that launches use are another program's.
  std::string captured = plain;
  for (size_t place = 0; (place = captured.find("slopes")) != std::string::npos;)
    captured.replace(place, 6, "ramps");
  EXPECT_STREQ(jit(captured, options, device).argument(0, 4).name, "ramps");
  EXPECT_EQ(count(), "1 0 0");
  Options defined = options;
  defined.defines = {"window=5"};
  jit(program, options, device);
  jit(program, defined, device);
  EXPECT_EQ(count(), "1 1 0");
}

// A kernel goes with all texts that asked for it.
TEST_F(JitCache, ManyTextsOfOneKernel) {
  configure("", 1);
  Device device = Device::host(1);
  const Options options{"f32", "8"};
  for (int i = 0; i < 40; ++i)
    jit(program + "# " + std::to_string(i) + "\n", options, device);
  EXPECT_EQ(count(), "1 39 0");
  jit("mask_mod = causal\n", options, device);
  jit(program + "# 39\n", options, device);
  EXPECT_EQ(count(), "2 0 0");
}

// Lengths and scalars are arguments: nothing is compiled for them.
TEST_F(JitCache, LengthsAndScalarsCompileNothing) {
  const std::string scaled = "cap: f32\n"
                             "def score_mod(score, b, h, q_idx, kv_idx):\n"
                             "    return score + cap * kv_idx\n";
  Kernel kernel = jit(scaled, {"f32", "8"}, Device::host(1));
  for (int64_t length = 1; length <= 20; ++length) {
    std::vector<float> data(static_cast<size_t>(length * 8)), o(data.size());
    Tensor view = bhsd(data.data(), 1, 1, length, 8);
    Launch launch = kernel.bind(view, view, view, bhsd(o.data(), 1, 1, length, 8));
    for (int cap = 0; cap < 20; ++cap)
      launch.set("cap", 0.1f * static_cast<float>(cap))();
  }
  EXPECT_EQ(count(), "1 0 0");
}

TEST_F(JitCache, DamagedEntriesAreCompiledAgain) {
  jit(program, {"f32", "8"}, Device::host(1));
  EXPECT_EQ(count(), "1 0 0");
  for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(entry.path()) / 2));
    file.put('\x5a');
    file.put('\xa5');
  }
  EXPECT_EQ(run(jit(program, {"f32", "8"}, Device::host(1)), 10), 7);
  EXPECT_EQ(count(), "1 0 0");
  EXPECT_EQ(run(jit(program, {"f32", "8"}, Device::host(1)), 10), 7);
  EXPECT_EQ(count(), "0 0 1");
}

TEST_F(JitCache, FoldersOfOthersAreNotUsed) {
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::all);
  EXPECT_EQ(run(jit(program, {"f32", "8"}, Device::host(1)), 10), 7);
  EXPECT_EQ(run(jit(program, {"f32", "8"}, Device::host(1)), 10), 7);
  EXPECT_EQ(count(), "2 0 0");
  EXPECT_TRUE(fs::is_empty(folder));
  EXPECT_EQ(getInfo().problem,
            folder + ": expected a folder that this user owns and nobody else may write to");
  EXPECT_EQ(attnc_cache_clear(), ATTNC_UNAVAILABLE);
  EXPECT_STREQ(attnc_device_message(nullptr), getInfo().problem);
}

// Kernels run all the same, and what keeps them from the disk is told until one is there again.
TEST_F(JitCache, CachesThatCannotBeWritten) {
  fs::create_directory(folder);
  fs::create_directory_symlink(root + "/gone", folder + "/link");
  configure(folder + "/link/cache");
  EXPECT_STREQ(getInfo().problem, "");
  EXPECT_EQ(run(jit(program, {"f32", "8"}, Device::host(1)), 10), 7);
  EXPECT_EQ(getInfo().problem, folder + "/link/cache: cannot make the folder: No such file or "
                                        "directory");
  fs::create_directory(root + "/gone");
  EXPECT_EQ(run(jit(program, {"f32", "8"}, Device::host(1)), 10), 7);
  EXPECT_STREQ(getInfo().problem, "");
  EXPECT_EQ(getInfo().disk_entries, 1);
}

// What the program is found by is small and kept, which does not hide that its code is not.
TEST_F(JitCache, CodeThatIsLargerThanTheCache) {
  attnc_cache_options_t options{};
  options.struct_size = sizeof options;
  options.folder = folder.c_str();
  options.max_disk_bytes = 4096;
  ASSERT_EQ(attnc_cache_configure(&options), ATTNC_OK);
  EXPECT_EQ(run(jit(program, {"f32", "8"}, Device::host(1)), 10), 7);
  EXPECT_STREQ(getInfo().problem, "the code is larger than the cache");
  EXPECT_EQ(getInfo().disk_entries, 0);
  EXPECT_GT(getInfo().disk_bytes, 0);
}

TEST_F(JitCache, MemoryIsBounded) {
  configure("", 2);
  Device device = Device::host(1);
  auto compile = [&](int window) {
    Options options{"f32", "8"};
    options.defines = {"window=" + std::to_string(window)};
    jit(program, options, device);
  };
  for (int window : {1, 2, 1, 3, 1, 2})
    compile(window);
  // 1, 2, 3 and then 2 again, which was the one used last.
  EXPECT_EQ(count(), "4 2 0");
}

TEST_F(JitCache, ClearingRemovesAll) {
  jit(program, {"f32", "8"}, Device::host(1));
  EXPECT_EQ(getInfo().disk_entries, 1);
  EXPECT_GT(getInfo().disk_bytes, 1000);
  EXPECT_EQ(getInfo().folder, folder);
  ASSERT_EQ(attnc_cache_clear(), ATTNC_OK);
  EXPECT_EQ(getInfo().disk_entries, 0);
}

TEST_F(JitCache, ErrorsAreNotKept) {
  Device device = Device::host(1);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(tryJit("mask_mod = cusal\n", {"f32", "8"}, device).status(), ATTNC_COMPILE_FAILED);
  EXPECT_EQ(count(), "2 0 0");
  EXPECT_EQ(getInfo().disk_entries, 0);
}

// A call that ends while it compiles, as there is no memory to read the entry into, leaves the
// kernel to the next one.
TEST_F(JitCache, FailuresLeaveNobodyWaiting) {
#ifdef ATTNC_HAS_THREAD_SANITIZER
  GTEST_SKIP() << "allocations are the sanitizer's";
#endif
  const Options options{"f32", "8"};
  jit(program, options, Device::host(1));
  Device device = Device::host(1);
  size_t bytes = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    bytes = std::max<size_t>(bytes, fs::file_size(entry.path()));
  failAllocationOf(bytes);
  EXPECT_EQ(tryJit(program, options, device).status(), ATTNC_OUT_OF_MEMORY);
  EXPECT_EQ(run(jit(program, options, device), 10), 7);
  EXPECT_EQ(count(), "1 0 1");
}

TEST_F(JitCache, WrongArguments) {
  attnc_cache_options_t options{};
  auto fail = [&] {
    EXPECT_EQ(attnc_cache_configure(&options), ATTNC_INVALID_ARGUMENT);
    return std::string(attnc_device_message(nullptr));
  };
  EXPECT_EQ(fail(), "`options`: expected a struct_size of at least 32, got 0");
  options.struct_size = sizeof options;
  options.folder = "relative";
  EXPECT_EQ(fail(), "`folder`: expected an absolute path or \"\", got `relative`");
  options.folder = nullptr;
  options.max_disk_bytes = -1;
  EXPECT_EQ(fail(), "`max_disk_bytes`: expected at least 0, got -1");
  options.max_disk_bytes = 0;
  options.max_kernels = -1;
  EXPECT_EQ(fail(), "`max_kernels`: expected at least 0, got -1");
  EXPECT_EQ(attnc_cache_get_info(nullptr), ATTNC_INVALID_ARGUMENT);
  EXPECT_STREQ(attnc_device_message(nullptr), "`info`: expected a pointer, got NULL");
}

namespace {
#if defined(ATTNC_HAS_THREAD_SANITIZER) || defined(ATTNC_HAS_ADDRESS_SANITIZER)
// Compiling takes seconds.
constexpr int killRounds = 20, mostMicroseconds = 2000000;
#else
constexpr int killRounds = 500, mostMicroseconds = 80000;
#endif
constexpr int keptWindows = 8;

/// Whether the kernel for a window of so many keys, compiled or found, computes with that one.
bool isRight(int window) {
  std::string text = "mask_mod = and_masks(causal, sliding_window(" + std::to_string(window) + "))";
  float result = run(jit(text, {"f32", "8"}, Device::host(1)), 10);
  return std::abs(result - (9 - static_cast<float>(std::min(window, 10) - 1) / 2)) < 1e-4f;
}

/// Finds kernels, and compiles new ones, until it is killed, and ends at once if one is wrong.
void useKernels(unsigned seed) {
  for (std::mt19937 random(seed);;)
    if (!isRight(static_cast<int>(random() % 4 ? 1 + random() % keptWindows : random() % 1000 + 9)))
      _exit(1);
}
} // namespace

// Two processes that compile, find and run kernels are killed at any moment, again and again: none
// is ever wrong, and what they leave is whole.
TEST_F(JitCache, KilledProcessesLeaveNoWrongKernels) {
  for (int window = 1; window <= keptWindows; ++window)
    ASSERT_TRUE(isRight(window)) << window;
  std::mt19937 random(5);
  unsigned most = mostMicroseconds;
  for (int round = 0; round < killRounds; ++round) {
    // Where other work leaves so little time that none of them comes to an end, they get more.
    if (round % 20 == 19 && getInfo().disk_entries == keptWindows)
      most *= 2;
    pid_t children[2];
    for (pid_t &child : children) {
      child = fork();
      ASSERT_GE(child, 0);
      if (child == 0)
        useKernels(static_cast<unsigned>(round * 2 + (&child == children)));
    }
    usleep(random() % most);
    for (pid_t child : children) {
      kill(child, SIGKILL);
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
          << "round " << round << ": a wrong kernel";
    }
  }
  // More is left than was there.
  EXPECT_GT(getInfo().disk_entries, keptWindows);
  count();
  for (int window = 1; window <= keptWindows; ++window)
    EXPECT_TRUE(isRight(window)) << window;
  EXPECT_EQ(count(), "0 0 8");
}

// 64 threads, a thousand calls each: 200 kernels, each compiled once whoever asks first.
TEST_F(JitCache, ManyThreadsShareCompilations) {
  constexpr int kernels = 200, calls = 1000;
  Device device = Device::host(1);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 64; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < calls; ++i) {
        int window = 1 + (t * 13 + i * 7) % kernels;
        Options options{"f32", "8"};
        options.defines = {"window=" + std::to_string(window)};
        Kernel kernel = jit(program, options, device);
        // The mean of the last `window` of 12 values.
        int seen = std::min(window, 12);
        wrong += std::abs(run(kernel, 12) - (11 + 12 - seen) / 2.0f) > 1e-4f;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(count(), "200 63800 0");
}
