//===- TestKernel.h - A kernel in text and its tensors ------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_UNIT_REFERENCE_TESTKERNEL_H
#define TEST_UNIT_REFERENCE_TESTKERNEL_H

#include "compiler/Target/Reference/PairProgram.h"
#include "compiler/Target/Reference/Reference.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

/// An attn.kernel with tensors of f32 that lie without gaps. Sizes are set first, then tensors are
/// changed element by element, then it runs.
class TestKernel {
public:
  /// `body` is what stands between the braces; `flags` what stands before them.
  explicit TestKernel(const std::string &body, int64_t headDim = 1, int64_t valueDim = 1,
                      const std::string &flags = "");

  /// q is 0, k is 0 and v[b, h, kv, :] is kv.
  void setSizes(int64_t B, int64_t Hq, int64_t Hkv, int64_t Q, int64_t KV);
  void addCapture(const std::string &name, std::vector<int64_t> sizes, std::vector<float> values);

  /// Computes o, lse and weights; false if the run failed, with the diagnostic in `error`.
  bool run(attnc::reference::Precision precision = attnc::reference::Precision::Exact);

  /// The value of the score body at a pair, computed as `arithmetic`.
  double
  evaluateScore(double score, int64_t q = 0, int64_t kv = 0,
                attnc::reference::Arithmetic arithmetic = attnc::reference::Arithmetic::Double);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  attnc::attn::KernelOp kernel;
  attnc::KernelInfo info;
  attnc::LaunchArguments arguments;
  std::vector<float> q, k, v, o, lse, weights;
  attnc::reference::Summary summary;
  std::string error;

private:
  std::optional<std::string> bind(attnc::BoundArguments &bound);
  std::map<std::string, std::vector<float>> captures;
};

#endif // TEST_UNIT_REFERENCE_TESTKERNEL_H
