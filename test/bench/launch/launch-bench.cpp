//===- launch-bench.cpp - What a launch costs beside the kernel -----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

//
//   launch-bench [ROUNDS]
//
// Launches kernels that compute next to nothing, and prints the nanoseconds of a call, the median
// of several rounds: bound once, with another address each time, and bound anew. The GPU's driver
// is one that does nothing. Then what it takes to get a kernel that was compiled before; on disk,
// in a process that does nothing else (launch-bench --jit).
//
//===------------------------------------------------------------------------===//

#include "attnc/attnc.hpp"
#include "test/bench/Median.h"
#include "test/unit/api/GpuProbe.h"
#include "test/unit/api/Probe.h"
#include <chrono>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace attnc;
using namespace attnc::test;

static const char *const program = "mask_mod = and_masks(causal, sliding_window(1024))\n";

/// The median over rounds of the nanoseconds that a call of `body` takes.
template <typename BodyT> static double measure(int rounds, BodyT body, int calls = 2000) {
  std::vector<double> times;
  for (int round = 0; round <= rounds; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      body();
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    // The first one warms up.
    if (round > 0)
      times.push_back(time.count() / calls);
  }
  return bench::getMedian(times);
}

static void print(const char *what, double nanoseconds) {
  std::printf("%-52s %8.0f ns\n", what, nanoseconds);
}

static void benchHost(int rounds, int threads, const char *name) {
  Kernel kernel = Kernel::load(Device::host(threads), getProbe().data(), getProbe().size());
  std::vector<float> q(64), k(64), v(32), o(32), lse(16);
  std::vector<int32_t> doc(16);
  int32_t pos = 0;
  bool on[6] = {};
  auto bind = [&] {
    Launch launch = kernel.bind(bhsd(q.data(), 1, 1, 16, 4), bhsd(k.data(), 1, 1, 16, 4),
                                bhsd(v.data(), 1, 1, 16, 2), bhsd(o.data(), 1, 1, 16, 2));
    launch.set("doc", Tensor(doc.data(), {1, 16})).set("pos", Tensor(&pos, {}));
    launch.set("on", Tensor(on, {2, 3})).set("cap", 2).set("shift", 1).set("flag", false);
    launch.set("lse", Tensor(lse.data(), {1, 1, 16})).set("scale", 1).prepare();
    return launch;
  };
  Launch launch = bind();
  Tensor view = bhsd(q.data(), 1, 1, 16, 4);
  std::printf("%s\n", name);
  print("  bound", measure(rounds, [&] { launch(); }));
  print("  bound, from C", measure(rounds, [&] { attnc_launch_run(launch.get(), nullptr); }));
  print("  another address and scalar", measure(rounds, [&] {
          launch.set("q", view).set("cap", 2.0f);
          launch();
        }));
  print("  bound anew", measure(rounds, [&] { bind()(); }));
}

static void benchCuda(int rounds) {
  if (!dlopen(ATTNC_IDLE_CUDA, RTLD_NOW | RTLD_LOCAL)) {
    std::printf("%s\n", dlerror());
    return;
  }
  std::string ptx = makeGpuProbe();
  Kernel kernel = Kernel::load(Device::open("cuda"), ptx.data(), ptx.size());
  std::vector<float> data(64);
  auto view = [&](int64_t columns) { return bhsd(data.data(), 1, 1, 16, columns).onGpu(); };
  std::vector<float> out(32);
  Launch launch = kernel.bind(view(4), view(4), view(2), bhsd(out.data(), 1, 1, 16, 2).onGpu());
  launch.set("cap", 2).prepare();
  std::printf("cuda, without the driver's part\n");
  print("  bound", measure(rounds, [&] { launch(); }));
}

static void benchCache(int rounds) {
  Device device = Device::host(1);
  Result<Kernel> first = tryJit(program, {"bf16", "128"}, device);
  std::printf("compiling what was compiled before\n");
  if (first)
    print("  found in memory", measure(rounds, [&] { jit(program, {"bf16", "128"}, device); }));
  else
    std::printf("  %s\n", first.message());
}

/// Has another process get a kernel, and waits for its end.
static void runProcess() {
  char self[] = "/proc/self/exe", option[] = "--jit";
  char *arguments[] = {self, option, nullptr};
  pid_t process = 0;
  int status = 1;
  if (posix_spawn(&process, self, nullptr, nullptr, arguments, environ) != 0 ||
      waitpid(process, &status, 0) != process || status != 0)
    throw Error(ATTNC_INTERNAL, "a process has failed");
}

static void benchDisk(int rounds) {
  char folder[] = "/tmp/attnc-launch-bench-XXXXXX";
  if (!mkdtemp(folder))
    throw Error(ATTNC_UNAVAILABLE, std::string(folder) + ": cannot make it");
  setenv("XDG_CACHE_HOME", folder, /*overwrite=*/1);
  print("  found on disk, from the start of a process to its end",
        measure(rounds, runProcess, /*calls=*/1));
  std::filesystem::remove_all(folder);
}

int main(int count, char **arguments) try {
  if (count > 1 && std::strcmp(arguments[1], "--jit") == 0) {
    jit(program, {"bf16", "128"}, Device::host(1));
    return 0;
  }
  int rounds = count > 1 ? std::atoi(arguments[1]) : 25;
  std::printf("1 batch, 1 head, 16 queries and keys\n");
  benchHost(rounds, 1, "host, one thread");
  benchHost(rounds, 0, "host, a thread a core, one task");
  benchCuda(rounds);
  benchCache(rounds);
  benchDisk(rounds);
  return 0;
} catch (const Error &error) {
  std::fprintf(stderr, "launch-bench: %s\n", error.what());
  return 1;
}
