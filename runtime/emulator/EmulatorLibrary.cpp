//===- EmulatorLibrary.cpp - What the runtime calls of the emulator's library ===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/EmulatorLibrary.h"
#include "attnc/ArgumentLayout.h"
#include "runtime/GpuCode.h"
#include "runtime/emulator/EmulatedKernel.h"
#include <new>

using namespace attnc;

#define ATTNC_EXPORT extern "C" __attribute__((visibility("default")))

struct attnc_emulator_kernel_t {
  GpuKernel description;
  emu::EmulatedKernel kernel;
};

ATTNC_EXPORT const char *attnc_emulator_version() { return ATTNC_VERSION; }

ATTNC_EXPORT attnc_emulator_kernel_t *attnc_emulator_load(const char *ptx, size_t size,
                                                          const char *name,
                                                          attnc_emulator_sink_t sink,
                                                          void *context) try {
  GpuCode code;
  std::optional<std::string> error = readGpuCode({ptx, size}, code);
  for (GpuKernel &candidate : code.kernels) {
    if (candidate.info.name != name)
      continue;
    auto kernel = std::make_unique<attnc_emulator_kernel_t>();
    kernel->description = std::move(candidate);
    error = kernel->kernel.load({ptx, size}, kernel->description);
    if (!error)
      return kernel.release();
    break;
  }
  sink(context, error ? error->c_str() : "there is no such kernel");
  return nullptr;
} catch (const std::bad_alloc &) {
  sink(context, "out of memory");
  return nullptr;
}

ATTNC_EXPORT attnc_emulator_result_t attnc_emulator_run(attnc_emulator_kernel_t *kernel,
                                                        const int64_t *slots, size_t count,
                                                        int64_t multiprocessors, int32_t threads,
                                                        attnc_emulator_sink_t sink,
                                                        void *context) try {
  BoundArguments arguments;
  arguments.slots.assign(slots, slots + count);
  arguments.B = slots[ArgumentLayout::B];
  arguments.Hq = slots[ArgumentLayout::Hq];
  arguments.Hkv = slots[ArgumentLayout::Hkv];
  arguments.Q = slots[ArgumentLayout::Q];
  arguments.KV = slots[ArgumentLayout::KV];
  emu::EmulationOptions options;
  options.multiprocessors = multiprocessors;
  options.workers = static_cast<unsigned>(threads);
  std::optional<emu::EmulationError> error = kernel->kernel.launch(arguments, options);
  if (!error)
    return ATTNC_EMULATOR_OK;
  sink(context, error->message.c_str());
  return error->isFault ? ATTNC_EMULATOR_FAULT : ATTNC_EMULATOR_IMPOSSIBLE;
} catch (const std::bad_alloc &) {
  sink(context, "out of memory");
  return ATTNC_EMULATOR_IMPOSSIBLE;
}

ATTNC_EXPORT void attnc_emulator_release(attnc_emulator_kernel_t *kernel) { delete kernel; }
