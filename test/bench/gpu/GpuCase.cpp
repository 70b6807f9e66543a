//===- GpuCase.cpp - A variant, compiled for the GPU ------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/gpu/GpuCase.h"
#include "test/bench/gpu/LoadedProgram.h"
#include <algorithm>
#include <cmath>

using namespace attnc;
using namespace attnc::bench;

GpuCase::GpuCase(const Variant &variant, const MainTensors &tensors, const cuda::Gpu &gpu)
    : BoundVariant(variant, tensors), driver(gpu.getDriver()), kernel(gpu) {}

GpuCase::~GpuCase() {
  for (cuda::CUevent event : {begin, end})
    if (event)
      driver.cuEventDestroy(event);
}

std::optional<std::string> GpuCase::prepare(const driver::Target &target) {
  if (auto error = loadProgram(getModule(), target, getDiagnostics(), kernel))
    return error;
  if (auto error = launch.prepare(getBound()))
    return error;
  for (cuda::CUevent *event : {&begin, &end})
    if (auto error = driver.cuEventCreate(event, /*flags=*/0))
      return error;
  double milliseconds = 0;
  return run(1, milliseconds);
}

std::optional<std::string> GpuCase::run(int launches, double &milliseconds) {
  if (auto error = driver.cuEventRecord(begin, /*stream=*/nullptr))
    return error;
  for (int i = 0; i < launches; ++i)
    if (auto error = launch.start())
      return error;
  if (auto error = driver.cuEventRecord(end, /*stream=*/nullptr))
    return error;
  if (auto error = driver.cuEventSynchronize(end))
    return error;
  float all = 0;
  if (auto error = driver.cuEventElapsedTime(&all, begin, end))
    return error;
  milliseconds = static_cast<double>(all) / launches;
  return std::nullopt;
}

std::optional<std::string> GpuCase::measure(double duration, double &milliseconds) {
  if (auto error = run(1, milliseconds))
    return error;
  constexpr double mostLaunches = 1000, shortest = 1e-3;
  return run(static_cast<int>(std::clamp(std::round(duration / std::max(milliseconds, shortest)),
                                         1.0, mostLaunches)),
             milliseconds);
}
