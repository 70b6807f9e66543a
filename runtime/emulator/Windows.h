//===- Windows.h - Where the spaces lie in the generic address space ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_WINDOWS_H
#define RUNTIME_EMULATOR_WINDOWS_H

#include <cstdint>

namespace attnc::emu {

// Constant memory lies below 4 GiB: a 32-bit register can hold its addresses.
constexpr uint64_t constantStart = 0x0000000000010000;
constexpr uint64_t constantEnd = 0x0000000100000000;
// Global allocations start above 4 GiB, so that an address cut to 32 bits is found.
constexpr uint64_t globalStart = 0x0000000300000000;
constexpr uint64_t globalEnd = 0x0000700000000000;
constexpr uint64_t parameterWindow = 0x0000710000000000;
constexpr uint64_t localWindow = 0x0000720000000000;
constexpr uint64_t sharedWindow = 0x0000730000000000;
/// Bytes of one window.
constexpr uint64_t windowSize = uint64_t(1) << 32;

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_WINDOWS_H
