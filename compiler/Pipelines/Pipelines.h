//===- Pipelines.h - Passes from phase to phase -------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_PIPELINES_PIPELINES_H
#define COMPILER_PIPELINES_PIPELINES_H

#include "compiler/Pipelines/Phases.h"
#include "dialect/Tile/IR/TileOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include <cstdint>
#include <string>

namespace attnc {

/// What the pipelines depend on.
struct PipelineOptions {
  TargetKind target = TargetKind::Host;
  /// The CPU's features as LLVM takes them, `+avx2,+fma`.
  std::string features;
  /// Bytes of shared memory that a block of threads of the GPU can have.
  int64_t sharedMemory = 0;
  /// Queries and keys of a tile of the GPU, `128x64`; empty: as the schedule chooses.
  std::string tile;
  /// How the GPU multiplies f32 on tensor cores.
  tile::Tf32 tf32 = tile::Tf32::None;
};

/// Adds the passes that lead to `phase` from the phase before it that the target takes; none where
/// no pass does.
void addPassesTo(Phase phase, mlir::OpPassManager &passes, const PipelineOptions &options);

/// Adds the dialects of all phases.
void insertAllDialects(mlir::DialectRegistry &registry);

/// Registers all passes and the pipelines `attn-pipeline` (from attn to expanded), `host-pipeline`
/// (from attn to the LLVM dialect), both with the option `cpu`, and `ptx-pipeline` with the option
/// `shared-memory`, for textual use.
void registerAllPasses();
void registerPipelines();

} // namespace attnc

#endif // COMPILER_PIPELINES_PIPELINES_H
