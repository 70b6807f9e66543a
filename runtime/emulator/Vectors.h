//===- Vectors.h - What this machine's vectors can do -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_VECTORS_H
#define RUNTIME_EMULATOR_VECTORS_H

namespace attnc::emu {

// Functions marked WIDE or WIDEST run only on machines that have what they are compiled for.
#if defined(__x86_64__)
#define ATTNC_EMU_WIDE [[gnu::target("avx2,fma")]]
#define ATTNC_EMU_WIDEST [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]]
inline const bool hasWideVectors = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
inline const bool hasWidestVectors =
    hasWideVectors && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
#define ATTNC_EMU_WIDE
#define ATTNC_EMU_WIDEST
inline constexpr bool hasWideVectors = false;
inline constexpr bool hasWidestVectors = false;
#endif

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_VECTORS_H
