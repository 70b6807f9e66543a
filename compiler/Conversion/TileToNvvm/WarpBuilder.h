//===- WarpBuilder.h - Short ways to build code of a thread -----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_CONVERSION_TILETONVVM_WARPBUILDER_H
#define COMPILER_CONVERSION_TILETONVVM_WARPBUILDER_H

#include "compiler/Conversion/Bodies/KernelBuilder.h"
#include <array>

namespace attnc {

/// `location` in the phase of a kernel that is called `phase`, `softmax` for instance, instead of
/// the one that it may be in. Names of phases are locations because they change no code.
mlir::Location getPhaseLocation(llvm::StringRef phase, mlir::Location location);

/// Builds the code of one thread of a GPU kernel. What has `Warp` or `Matrix` in its name, shuffles
/// and votes must be reached by all threads of a warp together, barrier() by all of a block.
class WarpBuilder : public KernelBuilder {
public:
  using KernelBuilder::KernelBuilder;
  using KernelBuilder::sub;

  //===--------------------------------------------------------------------===//
  // Integers
  //===--------------------------------------------------------------------===//

  /// Ops that are built while it lives belong to a phase of the kernel.
  class PhaseScope {
  public:
    PhaseScope(WarpBuilder &code, llvm::StringRef phase) : code(code), before(code.getLoc()) {
      code.setLoc(getPhaseLocation(phase, before));
    }
    PhaseScope(const PhaseScope &) = delete;
    ~PhaseScope() { code.setLoc(before); }

  private:
    WarpBuilder &code;
    mlir::Location before;
  };

  mlir::Value sub(mlir::Value lhs, int64_t rhs) { return add(lhs, -rhs); }
  /// Division and remainder of integers that are not negative.
  mlir::Value divide(mlir::Value lhs, mlir::Value rhs);
  mlir::Value divide(mlir::Value lhs, int64_t rhs) {
    return divide(lhs, integer(lhs.getType(), rhs));
  }
  mlir::Value remainder(mlir::Value lhs, mlir::Value rhs);
  mlir::Value bitAnd(mlir::Value lhs, int64_t rhs);
  mlir::Value bitOr(mlir::Value lhs, mlir::Value rhs);
  mlir::Value bitXor(mlir::Value lhs, mlir::Value rhs);
  mlir::Value bitXor(mlir::Value lhs, int64_t rhs);
  mlir::Value shiftLeft(mlir::Value value, int64_t amount);
  mlir::Value shiftRight(mlir::Value value, int64_t amount);
  mlir::Value equal(mlir::Value lhs, mlir::Value rhs);
  /// The sum without carries (xor) of `images[i]` over the bits i that are set in `value`, an i32
  /// whose other bits are ignored.
  mlir::Value mapBits(mlir::Value value, llvm::ArrayRef<int64_t> images);
  /// `count` bits from bit `first` on, both not negative; bits past the last are dropped.
  mlir::Value bitRun(mlir::Value first, mlir::Value count);
  /// Whether both predicates hold, as one that LLVM does not take apart into two selections.
  mlir::Value bothOf(mlir::Value lhs, mlir::Value rhs);
  mlir::Value compareBit(mlir::Value bits, int64_t bit);
  /// i64 to i32 and back, for values that fit.
  mlir::Value narrow(mlir::Value value);
  mlir::Value widen(mlir::Value value);
  mlir::Value widenUnsigned(mlir::Value value);

  //===--------------------------------------------------------------------===//
  // Floats
  //===--------------------------------------------------------------------===//

  /// a * b + c, rounded once.
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  /// a * b, rounded towards infinity.
  mlir::Value mulRoundedUp(mlir::Value a, mlir::Value b);
  /// The larger one that is not NaN.
  mlir::Value maxNum(mlir::Value lhs, mlir::Value rhs);
  mlir::Value exp2(mlir::Value x);
  mlir::Value log2(mlir::Value x);
  /// 1 / x, or 0 where x is 0.
  mlir::Value invert(mlir::Value x);
  /// factor * score + ln(x).
  mlir::Value naturalLog(mlir::Value score, mlir::Value factor, mlir::Value x);
  /// The f32 of an element as stored, and back, rounded to nearest even.
  mlir::Value extend(mlir::Value element);
  mlir::Value round(mlir::Type element, mlir::Value x);
  /// Rounded to tf32, halves away from zero: an i32 that is the f32 of the same value.
  mlir::Value roundToTf32(mlir::Value x);
  /// Two f32 rounded to `element`, `low` in the low half of an i32.
  mlir::Value packPair(mlir::Type element, mlir::Value low, mlir::Value high);

  /// A vector of values of one type, and its values.
  mlir::Value packVector(mlir::ValueRange values);
  Values unpackVector(mlir::Value vector);

  //===--------------------------------------------------------------------===//
  // Threads
  //===--------------------------------------------------------------------===//

  /// Each call reads the register anew, so that what is computed from it need not stay in registers
  /// for later uses.
  mlir::Value threadIndex();
  mlir::Value blockIndex();
  void barrier();
  void syncWarp();
  mlir::Value shuffleXor(mlir::Value value, int64_t laneMask);
  /// A bit for each lane of the warp.
  mlir::Value ballot(mlir::Value predicate);
  mlir::Value anyInWarp(mlir::Value predicate);
  /// The sum over the warp, in every lane.
  mlir::Value sumOfWarp(mlir::Value value);

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  /// Starts a copy of 16 bytes from global to shared memory; with `bytes`, an i32, of so many, and
  /// zeros behind.
  void copyAsync(mlir::Value target, mlir::Value source, mlir::Value bytes = {});
  void commitCopies();
  /// Waits for all copies of this thread.
  void waitForCopies();
  /// Four matrices of 8 by 8 elements of 16 bits, two of each in an i32 a lane.
  std::array<mlir::Value, 4> loadMatrices(mlir::Value address, bool transposed);
  /// c + a * b of mma.sync m16n8k16: `a` four and `b` two i32 with pairs of `element`, `c` four
  /// f32. With f32 of m16n8k8, whose operands are tf32.
  std::array<mlir::Value, 4> multiplyMatrices(mlir::Type element, llvm::ArrayRef<mlir::Value> a,
                                              llvm::ArrayRef<mlir::Value> b,
                                              llvm::ArrayRef<mlir::Value> c);

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  /// What `then` gives if `condition` holds, else what `otherwise` gives: values of `types`.
  Values choose(mlir::Value condition, mlir::TypeRange types, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);
  mlir::Value choose(mlir::Value condition, mlir::Type type, llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);
  /// Calls `body` with what it gave before, as long as that satisfies `condition`; gives what it
  /// gave in the end.
  Values loopWhile(mlir::ValueRange initial,
                   llvm::function_ref<mlir::Value(mlir::ValueRange)> condition,
                   llvm::function_ref<Values(mlir::ValueRange)> body);

private:
  std::array<mlir::Value, 4> unpackFour(mlir::Value value);
};

} // namespace attnc

#endif // COMPILER_CONVERSION_TILETONVVM_WARPBUILDER_H
