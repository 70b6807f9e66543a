//===- GpuProbe.h - A kernel for GPUs that shows its arguments --*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_UNIT_API_GPUPROBE_H
#define TEST_UNIT_API_GPUPROBE_H

#include <string>

namespace attnc::test {

/// PTX as anyone could write it, with the metadata that attnc writes: for one batch and one head,
/// o = cap * the first column of q.
std::string makeGpuProbe(const std::string &arch = "sm_80");

} // namespace attnc::test

#endif // TEST_UNIT_API_GPUPROBE_H
