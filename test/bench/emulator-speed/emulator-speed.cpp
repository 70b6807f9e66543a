//===- emulator-speed.cpp - Lane instructions per second --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Device.h"
#include "runtime/emulator/Half.h"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>

using namespace attnc::emu;

/// usage: emulator-speed FILE.ptx BM BN D WARPS [LENGTH]
/// FILE.ptx is a kernel of the form in test/emulator/ptx. Runs on one thread, with and without
/// checks; the time is that of the processor, so that other work on the machine does not count.
int main(int argc, char **argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: emulator-speed FILE.ptx BM BN D WARPS [LENGTH]\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  uint32_t rows = std::stoul(argv[2]), columns = std::stoul(argv[3]), width = std::stoul(argv[4]);
  uint32_t warps = std::stoul(argv[5]), length = argc > 6 ? std::stoul(argv[6]) : 512;
  Device device;
  std::vector<Diagnostic> diagnostics;
  auto module = device.loadModule(text, diagnostics);
  if (!module) {
    for (const Diagnostic &diagnostic : diagnostics)
      std::fprintf(stderr, "%s\n", formatDiagnostic(argv[1], diagnostic).c_str());
    return 2;
  }
  const Program &program = *module->findKernel("fa2");
  Random random(1);
  std::vector<uint16_t> input(size_t(length) * width);
  uint64_t buffers[5];
  for (int i = 0; i < 3; ++i) {
    for (uint16_t &value : input)
      value = roundToBrain(static_cast<double>(random.next() >> 11) * 0x1p-52 - 1);
    buffers[i] = device.allocate(input.size() * 2);
    device.copyToDevice(buffers[i], input.data(), input.size() * 2);
  }
  buffers[3] = device.allocate(input.size() * 2);
  buffers[4] = device.allocate(length * 4);
  KernelArguments arguments(program);
  for (uint64_t buffer : buffers)
    arguments.add(buffer);
  arguments.add(length / columns);
  arguments.add(length);
  arguments.add(0.18f);
  LaunchConfig config{{length / rows, 1, 1}, {warps * 32, 1, 1}, (rows + 2 * columns) * width * 2};
  for (bool checks : {true, false}) {
    double best = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
      LaunchOptions options;
      options.checks = checks;
      options.workers = 1;
      std::clock_t start = std::clock();
      LaunchResult result = device.launch(program, config, arguments.getBytes(), options);
      double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      if (!result.succeeded) {
        std::fprintf(stderr, "%s", formatFault(result.faults[0]).c_str());
        return 1;
      }
      best = std::max(best, static_cast<double>(result.statistics.steps) * 32 / seconds / 1e6);
    }
    std::printf("checks %-3s %8.1f M lane instructions/s\n", checks ? "on" : "off", best);
  }
  return 0;
}
