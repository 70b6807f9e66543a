//===- Check.h - Judging results by the reference -----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_CHECK_H
#define COMPILER_DRIVER_CHECK_H

#include "attnc/Launch.h"
#include "dialect/Attn/IR/AttnOps.h"

namespace attnc::driver {

/// How far one output is from the reference.
struct OutputCheck {
  std::string name;
  double error = 0; ///< the largest difference; infinite where NaN or an infinity is misplaced
  double limit = 0; ///< by the rule, twice the error of an unfused run plus a floor
  std::vector<int64_t> worst;  ///< the place of the largest difference
  float got = 0, expected = 0; ///< there
  int64_t beyond = 0;          ///< elements beyond the limit

  bool passes() const { return error <= limit; }
  /// One line, with the worst element if it does not pass.
  void print(llvm::raw_ostream &os) const;
};

/// Compares a float tensor with what it should be, elements in logical order. NaN and infinities
/// must stand where they are expected.
OutputCheck compareOutput(std::string name, const TensorView &output,
                          const std::vector<float> &expected, double limit);

/// The exact and the unfused results of one launch, by which outputs are judged, by the rule of
/// test/goldens/README.md.
class Judge {
public:
  /// Runs the reference twice; fails as it does. With `arguments.lse` the log-sum-exp is judged
  /// too. `roundsToTf32` tells that operands of products are rounded, with `--tf32`: rows are then
  /// to be those of q, k and v that are rounded, except for what weights are rounded by, at most
  /// 2^-11 of each; or, if they were computed again, those of q, k and v themselves.
  static mlir::FailureOr<Judge> create(attn::KernelOp kernel, const KernelInfo &info,
                                       const LaunchArguments &arguments,
                                       const BoundArguments &bound, unsigned threads,
                                       bool roundsToTf32 = false);

  std::vector<OutputCheck> compare(const TensorView &o, const std::optional<TensorView> &lse) const;

  /// Pairs that take part.
  int64_t getNumPairs() const { return pairs; }

private:
  struct Results {
    std::vector<float> o, lse;
  };

  ElementType dtype = ElementType::F32;
  Results exact, unfused;
  /// With operands rounded to tf32, the results of rounded q, k and v, and the most that rounding
  /// weights does to o.
  std::optional<Results> rounded;
  double weightRounding = 0;
  double rounding = 0; ///< what rounding a score to f32 does to the logarithm of a weight
  int64_t pairs = 0;
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_CHECK_H
