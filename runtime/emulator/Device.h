//===- Device.h - The emulator as a device: buffers, modules, launches ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_DEVICE_H
#define RUNTIME_EMULATOR_DEVICE_H

#include "runtime/emulator/Launch.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnc::emu {

/// A loaded PTX file.
class Module {
public:
  /// Null if there is no such kernel.
  const Program *findKernel(std::string_view name) const;
  std::vector<std::string> getKernelNames() const;

private:
  friend class Device;
  std::vector<std::unique_ptr<Program>> programs;
  GlobalAddresses globals;
};

struct LaunchConfig {
  Dim3 grid{1, 1, 1};
  Dim3 block{1, 1, 1};
  uint64_t dynamicShared = 0;
};

/// What a launch did. `faults` holds warnings as well.
struct LaunchResult {
  std::vector<Fault> faults;
  Statistics statistics;
  /// True without faults; warnings count only if the launch was strict.
  bool succeeded = false;
};

/// The arguments of a kernel, in parameter order, as bytes laid out by the parameters' alignment.
class KernelArguments {
public:
  explicit KernelArguments(const Program &program) : program(&program) {}
  /// Appends the next argument. Returns false if its size is not that of the parameter or there is
  /// none.
  bool add(const void *value, size_t bytes);
  template <class T> bool add(const T &value) { return add(&value, sizeof value); }
  size_t count() const { return next; }
  const std::vector<uint8_t> &getBytes() const { return bytes; }

private:
  const Program *program;
  std::vector<uint8_t> bytes;
  size_t next = 0;
};

/// One emulated GPU. Not for use from several threads at once.
class Device {
public:
  Device();

  const DeviceProperties &getProperties() const { return properties; }
  DeviceProperties &getProperties() { return properties; }

  /// A buffer of poison; 0 if the size cannot be had. The name is for reports. The buffer begins
  /// `misalignment` bytes, fewer than 512, past a multiple of 512.
  uint64_t allocate(uint64_t bytes, std::string name = "", uint64_t misalignment = 0);
  /// Adds type and shape to the reports about a buffer.
  void describe(uint64_t address, std::string description, unsigned elementSize);
  bool release(uint64_t address);
  /// False if [address, address + bytes) is not inside one buffer.
  bool copyToDevice(uint64_t address, const void *source, uint64_t bytes);
  bool copyToHost(void *target, uint64_t address, uint64_t bytes) const;
  bool fill(uint64_t address, uint8_t byte, uint64_t bytes);
  /// True if every byte of the range was written.
  bool isWritten(uint64_t address, uint64_t bytes) const;

  /// Parses and decodes PTX text. On failure returns null and fills `diagnostics`.
  std::unique_ptr<Module> loadModule(std::string_view text, std::vector<Diagnostic> &diagnostics);
  /// The address of a module variable in global or constant memory.
  std::optional<uint64_t> findVariable(const Module &module, std::string_view name) const;

  LaunchResult launch(const Program &program, const LaunchConfig &config,
                      const std::vector<uint8_t> &parameters, const LaunchOptions &options);

private:
  bool placeVariable(const Variable &variable, const std::string &key, GlobalAddresses &globals,
                     std::vector<Diagnostic> &diagnostics);
  bool initialize(const Variable &variable, uint64_t address, const GlobalAddresses &globals,
                  std::vector<Diagnostic> &diagnostics);

  DeviceProperties properties;
  GlobalMemory memory;
};

/// `FILE:LINE:COLUMN: error: message`.
std::string formatDiagnostic(std::string_view file, const Diagnostic &diagnostic);

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_DEVICE_H
