//===- HostDevice.h - The CPU as a device -----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_HOSTDEVICE_H
#define RUNTIME_API_HOSTDEVICE_H

#include "runtime/api/Device.h"

namespace attnc::api {

/// This machine's CPU. Launches run on the threads of the process's pool, or by the caller's
/// parallel loop.
class HostDevice : public Device {
public:
  static Result open(const attnc_device_options_t &options, std::shared_ptr<Device> &device);

  attnc_device_info_t getInfo() const override;
  Result checkPlace(DLDevice place) const override;
  std::optional<int64_t> rate(const PackagedCode &code) const override;
  Result load(std::string_view bytes, std::vector<std::unique_ptr<Variant>> &variants) override;
  std::string getCompileTarget() const override { return "host"; }
  Result allocate(size_t bytes, void *&memory) override;
  void release(void *memory) override;

  int getThreads() const { return threads; }
  /// False if loops are those of the caller.
  bool hasOwnThreads() const { return !parallelFor; }

  /// Calls `body` for parts 0 to `parts` - 1, each once, at the same time if there are threads.
  void runParts(int64_t parts, void (*body)(void *argument, int64_t part), void *argument) const;

private:
  int threads = 1;
  attnc_parallel_for_t parallelFor = nullptr;
  void *parallelForContext = nullptr;
};

} // namespace attnc::api

#endif // RUNTIME_API_HOSTDEVICE_H
