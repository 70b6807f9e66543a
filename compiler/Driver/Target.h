//===- Target.h - What code is made for ---------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_TARGET_H
#define COMPILER_DRIVER_TARGET_H

#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Target/Host/HostTarget.h"
#include "compiler/Target/Ptx/PtxTarget.h"
#include <variant>

namespace attnc::driver {

/// What code is made for, a CPU or a GPU, and sizes that are asked for there.
class Target {
public:
  Target() = default;
  Target(HostTarget target) : target(std::move(target)) {}
  Target(PtxTarget target) : target(std::move(target)) {}

  TargetKind getKind() const {
    return std::holds_alternative<PtxTarget>(target) ? TargetKind::Ptx : TargetKind::Host;
  }
  const HostTarget &getHost() const { return std::get<HostTarget>(target); }
  const PtxTarget &getPtx() const { return std::get<PtxTarget>(target); }

  /// The value of `--cpu` or `--arch`.
  std::string getName() const {
    return getKind() == TargetKind::Ptx ? getPtx().arch : getHost().getName();
  }

  PipelineOptions getPipelineOptions() const {
    PipelineOptions options;
    options.target = getKind();
    options.tile = tile;
    options.tf32 = tf32;
    if (getKind() == TargetKind::Ptx)
      options.sharedMemory = getPtx().sharedBytes;
    else
      options.features = getHost().features;
    return options;
  }

  /// Of a GPU: the tile that overrides what the schedule chooses; empty if none.
  std::string tile;
  /// Of a GPU: how f32 are multiplied on tensor cores.
  tile::Tf32 tf32 = tile::Tf32::None;
  /// Of a GPU: whether code tells which line of the program it is for.
  bool lineInfo = false;

private:
  std::variant<HostTarget, PtxTarget> target;
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_TARGET_H
