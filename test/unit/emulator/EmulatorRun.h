//===- EmulatorRun.h - Runs small PTX texts in tests ------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_UNIT_EMULATOR_EMULATORRUN_H
#define TEST_UNIT_EMULATOR_EMULATORRUN_H

#include "runtime/emulator/Device.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <vector>

namespace attnc::emu {

/// The lines that every PTX file starts with.
inline std::string ptxHeader() { return ".version 8.0\n.target sm_80\n.address_size 64\n"; }

/// A kernel `k` over buffers of 32-bit words.
class PtxRun {
public:
  explicit PtxRun(const std::string &text) {
    module = device.loadModule(text, diagnostics);
    if (module && !module->getKernelNames().empty())
      program = module->findKernel(module->getKernelNames()[0]);
  }

  /// A kernel with the body and one parameter `out`, a buffer.
  static std::string kernel(const std::string &body, const std::string &before = "") {
    return ptxHeader() + before +
           ".visible .entry k(.param .u64 out)\n{\n"
           ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<19>;\n.reg .f32 %f<9>;\n"
           ".reg .b64 %d<9>;\n" +
           body + "\n}\n";
  }

  template <class T> uint64_t buffer(const std::vector<T> &values, std::string name = "buffer") {
    uint64_t address = device.allocate(values.size() * sizeof(T), std::move(name));
    device.copyToDevice(address, values.data(), values.size() * sizeof(T));
    return address;
  }

  template <class T> std::vector<T> read(uint64_t address, size_t count) const {
    std::vector<T> values(count);
    device.copyToHost(values.data(), address, count * sizeof(T));
    return values;
  }

  LaunchResult launch(const std::vector<uint64_t> &arguments) {
    KernelArguments parameters(*program);
    for (uint64_t argument : arguments) {
      if (!parameters.add(argument))
        parameters.add(static_cast<uint32_t>(argument));
    }
    return device.launch(*program, config, parameters.getBytes(), options);
  }

  Device device;
  std::vector<Diagnostic> diagnostics;
  std::unique_ptr<Module> module;
  const Program *program = nullptr;
  LaunchConfig config{{1, 1, 1}, {32, 1, 1}, 0};
  LaunchOptions options;
};

/// Number of faults of a kind.
inline size_t countFaults(const LaunchResult &result, FaultKind kind) {
  size_t count = 0;
  for (const Fault &fault : result.faults)
    count += fault.kind == kind;
  return count;
}

} // namespace attnc::emu

#endif // TEST_UNIT_EMULATOR_EMULATORRUN_H
