//===- PairProgram.h - A score or mask body, decoded --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_REFERENCE_PAIRPROGRAM_H
#define COMPILER_TARGET_REFERENCE_PAIRPROGRAM_H

#include "attnc/Launch.h"
#include "dialect/Attn/IR/AttnOps.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <vector>

namespace attnc::reference {

/// One value: a float in `f`; an integer, sign-extended, or a bool (0 or 1) in `i`.
union Cell {
  double f;
  int64_t i;
};

/// How floats are computed.
enum class Arithmetic {
  /// In double with the range of f32: what f32 would overflow or flush is infinite or 0.
  Double,
  /// Each op rounded to f32.
  F32
};

/// A read of a captured tensor or table.
struct Load {
  const char *data;
  ElementType type;
  struct Dimension {
    int64_t size;
    int64_t stride;
    attn::IndexCheck check;
    unsigned index; ///< the register that holds it
  };
  llvm::SmallVector<Dimension, 4> dims;
  mlir::Location loc;
};

/// What one evaluation came upon, the first of each.
struct Findings {
  const Load *clamped = nullptr; ///< an index outside its dimension
  const Load *broken = nullptr;  ///< an index that a check of the op promised to be impossible
  int64_t dim = 0;               ///< of `clamped` or, if there is one, `broken`
  int64_t index = 0;
  int64_t size = 0;
};

/// The body of an attn.score or attn.mask as a list of operations on registers, with the launch
/// arguments filled in. Decoded once, evaluated for every pair.
class PairProgram {
public:
  struct Operation;
  /// Computes one operation from its operands.
  using Evaluator = Cell (*)(const Operation &op, Cell a, Cell b, Cell c);

  /// What becomes of a result before it is stored.
  enum class Finish : uint8_t { Nothing, F32Range, RoundF32, RoundF16, RoundBF16, Wrap };

  struct Operation {
    Evaluator evaluate; ///< null: a load
    unsigned result;
    unsigned operands[3] = {0, 0, 0};
    const Load *load = nullptr;
    unsigned bits = 64;       ///< the width of an integer operand
    unsigned resultBits = 64; ///< the width of an integer result
    int predicate = 0;        ///< of a comparison
    Arithmetic arithmetic;
    Finish finish = Finish::Nothing;
  };

  /// Decodes the body of `op`, an attn.score or attn.mask of `kernel`; reports an op that has no
  /// meaning here. A body with an arith.bitcast of floats is computed in f32 whatever `arithmetic`
  /// says, since it works on their bits. The tensors of `arguments` must outlive the program.
  static mlir::FailureOr<PairProgram> decode(mlir::Operation *op, attn::KernelOp kernel,
                                             const KernelInfo &info,
                                             const LaunchArguments &arguments,
                                             const BoundArguments &bound, Arithmetic arithmetic);

  /// Registers for evaluate(), one set for each thread.
  std::vector<Cell> makeRegisters() const { return initial; }

  /// The value that the body yields for these block arguments.
  Cell evaluate(std::vector<Cell> &registers, llvm::ArrayRef<Cell> arguments,
                Findings &findings) const;

private:
  friend class Decoder;
  std::vector<Operation> operations;
  std::vector<Cell> initial; ///< the registers: block arguments first, constants filled in
  std::vector<std::unique_ptr<Load>> loads;
  std::vector<std::unique_ptr<char[]>> tables;
  unsigned yielded = 0;
};

/// The evaluator of an op by its name, or null.
PairProgram::Evaluator lookupEvaluator(llvm::StringRef name);

/// `x` as it is left by f32 arithmetic that rounds nothing in its range.
inline double limitToF32Range(double x) {
  auto narrow = static_cast<float>(x);
  return narrow == 0 || std::isinf(narrow) ? static_cast<double>(narrow) : x;
}

/// An element of a tensor; floats are widened to double.
Cell readElement(const void *data, ElementType type, int64_t index);

} // namespace attnc::reference

#endif // COMPILER_TARGET_REFERENCE_PAIRPROGRAM_H
