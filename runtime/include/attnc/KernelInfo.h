//===- KernelInfo.h - What a caller must know about a kernel ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_KERNELINFO_H
#define ATTNC_KERNELINFO_H

#include "attnc/ElementType.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// One size of a captured tensor: a postfix program over constants and named sizes, that is the
/// dimensions B, Hq, Hkv, Q, KV and the extents of the kernel.
class SizeExpr {
public:
  enum class Kind { Constant, Symbol, Add, Mul, FloorDiv, CeilDiv, Mod };
  struct Step {
    Kind kind;
    int64_t value = 0;  ///< of a Constant
    std::string symbol; ///< of a Symbol
    bool operator==(const Step &other) const {
      return kind == other.kind && value == other.value && symbol == other.symbol;
    }
  };
  /// The value of a name, or nothing while it is unknown.
  using Lookup = std::function<std::optional<int64_t>(std::string_view)>;

  SizeExpr() = default;
  explicit SizeExpr(std::vector<Step> steps) : steps(std::move(steps)) {}
  static SizeExpr constant(int64_t value) { return SizeExpr({{Kind::Constant, value, {}}}); }
  static SizeExpr symbol(std::string name) {
    return SizeExpr({{Kind::Symbol, 0, std::move(name)}});
  }

  const std::vector<Step> &getSteps() const { return steps; }

  /// True if the steps leave exactly one value.
  bool isWellFormed() const;

  /// The value, or nothing if a name is unknown or a step overflows 64 bits. Division rounds
  /// towards minus infinity (`CeilDiv`: plus infinity) and gives 0 where the divisor is 0.
  std::optional<int64_t> evaluate(const Lookup &lookup) const;

  /// The one name that `lookup` does not know, given that the expression equals `target`: the name
  /// with its value. Nothing if no name or several are unknown, or if the value does not follow
  /// (it stands below a division or twice, or no integer fits).
  std::optional<std::pair<std::string, int64_t>> solve(int64_t target, const Lookup &lookup) const;

  /// As in the language: `Q + KV - 1`.
  std::string print() const;

  /// What print() gives for `text`, or nothing if it is no expression. Products bind tighter than
  /// sums; `ceildiv` divides upwards.
  static std::optional<SizeExpr> parse(std::string_view text);

private:
  std::vector<Step> steps;
};

struct CaptureInfo {
  std::string name;
  ElementType type;
  std::vector<SizeExpr> shape;
};

struct ScalarInfo {
  std::string name;
  ElementType type;
};

/// A constant index into a captured tensor: it must be inside when the kernel is launched.
struct Requirement {
  std::string capture;
  int64_t dim;
  int64_t index;
};

/// Describes a compiled kernel to those who launch it.
struct KernelInfo {
  std::string name;
  ElementType dtype = ElementType::F32; ///< of q, k, v and o
  int64_t headDim = 0;
  int64_t valueDim = 0;
  std::optional<float> scale; ///< none: a launch argument
  bool lse = false;
  bool checked = false;
  std::vector<std::string> extents; ///< names that captured shapes bind
  std::vector<CaptureInfo> captures;
  std::vector<ScalarInfo> scalars;
  std::vector<Requirement> requirements;
};

} // namespace attnc

#endif // ATTNC_KERNELINFO_H
