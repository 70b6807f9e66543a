//===- ProgramGenerator.h - Random programs -----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_SWEEP_PROGRAMGENERATOR_H
#define TEST_SWEEP_PROGRAMGENERATOR_H

#include "attnc/Launch.h"
#include "test/sweep/Random.h"
#include <map>
#include <set>

namespace attnc::sweep {

/// What the elements of a captured tensor are for.
enum class Content {
  Bias,      ///< floats around 0
  Factor,    ///< floats from 0.5 to 1.5
  Positions, ///< integers of the size of positions, some negative
  Ids,       ///< few different integers, in runs
  Lengths,   ///< integers from 0 to a little over the number of keys
  Coins      ///< bools
};

/// A program, and what its arguments should be.
struct GeneratedProgram {
  std::string text;
  std::map<std::string, Content> captures;
  std::map<std::string, ScalarValue> scalars;
  std::vector<std::pair<std::string, std::string>> defines;
};

/// Writes programs that compile, and whose scores are continuous in the incoming score wherever
/// they compute with it: a comparison of computed floats could fall either way in f32, and no rule
/// could judge that.
class ProgramGenerator {
public:
  explicit ProgramGenerator(Random &random) : random(random) {}

  GeneratedProgram generate();

private:
  std::string writeMask(const std::string &name);
  std::string writeScore();
  std::string makeLibraryMask(int depth);
  /// A condition that is a few runs of keys for each query.
  std::string makeRuns(int depth);
  std::string makeLibraryScore();

  std::string makeInt(int depth);
  std::string makeSmallInt();
  std::string makeVariable();
  std::string makeBool(int depth);
  /// A float that is the same in f32 and in double.
  std::string makeExactFloat();
  /// A number around `value` of a smooth function.
  std::string makeSmooth(const std::string &value, int depth);
  std::string makeIndex();

  /// Names of declarations, made on the first use of a kind.
  std::string declareCapture(const std::string &type, const std::vector<std::string> &shape,
                             Content content);
  std::string declareScalar(const std::string &type, ScalarValue value);
  std::string declareTable();
  std::string loadInt();
  std::string loadBool();
  std::string loadFloat(Content content);

  int64_t constant() { return random.chance(85) ? random.range(0, 40) : random.range(-3000, 3000); }

  Random &random;
  GeneratedProgram program;
  std::string declarations;
  int numNames = 0;
  int numDims = 0; ///< of all captures, so that a program stays small
};

} // namespace attnc::sweep

#endif // TEST_SWEEP_PROGRAMGENERATOR_H
