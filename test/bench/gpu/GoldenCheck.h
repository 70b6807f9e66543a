//===- GoldenCheck.h - Golden cases on the GPU --------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_GPU_GOLDENCHECK_H
#define TEST_BENCH_GPU_GOLDENCHECK_H

#include "compiler/Driver/Check.h"
#include "compiler/Driver/RunOptions.h"
#include "compiler/Driver/Target.h"
#include "runtime/cuda/Gpu.h"
#include "llvm/Support/Error.h"

namespace attnc::bench {

/// A case of test/goldens: how to run it and how far its outputs may be off.
struct GoldenCase {
  driver::RunOptions options;
  double limit = 0, lseLimit = 0;

  /// Reads the case in `folder`; errors name the file.
  static llvm::Expected<GoldenCase> read(const std::string &folder);
};

/// The folders of all cases below `folder` whose names have `only` in them, in order.
llvm::Expected<std::vector<std::string>> findGoldens(const std::string &folder,
                                                     const std::string &only);

/// What came of a case.
struct GoldenResult {
  std::string name;
  std::string error; ///< why there are no outputs; empty if there are
  std::vector<driver::OutputCheck> outputs;
  bool passes() const;
};

/// Compiles the program of a case for `target`, runs it on the GPU and compares o and lse with the
/// answers of the case.
GoldenResult checkGolden(const std::string &folder, const cuda::Gpu &gpu,
                         const driver::Target &target);

} // namespace attnc::bench

#endif // TEST_BENCH_GPU_GOLDENCHECK_H
