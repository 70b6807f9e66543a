//===- EmulatorLibrary.h - What the runtime calls of the emulator's library *- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

//
// libattnc_emulator.so shows these functions and nothing else. It is of the same version as the
// runtime that loads it, which attnc_emulator_version is for.
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_EMULATORLIBRARY_H
#define RUNTIME_EMULATOR_EMULATORLIBRARY_H

#include <cstddef>
#include <cstdint>

extern "C" {

/// A kernel in PTX on an emulated device of its own.
struct attnc_emulator_kernel_t;

/// Gets a message, which is gone after the call.
using attnc_emulator_sink_t = void (*)(void *context, const char *message);

/// How a launch ended.
enum attnc_emulator_result_t : int32_t {
  ATTNC_EMULATOR_OK = 0,
  ATTNC_EMULATOR_FAULT = 1,     ///< the kernel is wrong
  ATTNC_EMULATOR_IMPOSSIBLE = 2 ///< the launch could not be made
};

/// The version of the project.
const char *attnc_emulator_version();

/// Loads the kernel of that name, one of those in `ptx`; null after a message.
attnc_emulator_kernel_t *attnc_emulator_load(const char *ptx, size_t size, const char *name,
                                             attnc_emulator_sink_t sink, void *context);

/// Runs a launch with the arguments of ArgumentLayout, whose pointers are of this process, on so
/// many threads. One launch of a kernel at a time.
attnc_emulator_result_t attnc_emulator_run(attnc_emulator_kernel_t *kernel, const int64_t *slots,
                                           size_t count, int64_t multiprocessors, int32_t threads,
                                           attnc_emulator_sink_t sink, void *context);

void attnc_emulator_release(attnc_emulator_kernel_t *kernel);
}

#endif // RUNTIME_EMULATOR_EMULATORLIBRARY_H
