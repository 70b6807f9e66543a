//===- StageTimes.h - Where the time of a compilation goes --------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_STAGETIMES_H
#define COMPILER_DRIVER_STAGETIMES_H

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace attnc::driver {

/// Measures stages, and stages within them, in the order in which they begin. For one thread.
class StageTimes {
  using Clock = std::chrono::steady_clock;

public:
  /// Measures until it goes out of scope.
  class Scope {
  public:
    Scope(StageTimes &times, size_t row) : times(&times), row(row), begin(Clock::now()) {}
    Scope(Scope &&other) noexcept
        : times(std::exchange(other.times, nullptr)), row(other.row), begin(other.begin) {}
    Scope &operator=(Scope &&) = delete;
    ~Scope() {
      if (times)
        times->finish(row, Clock::now() - begin);
    }

  private:
    StageTimes *times;
    size_t row;
    Clock::time_point begin;
  };

  [[nodiscard]] Scope start(llvm::StringRef name);

  /// Adds a stage measured elsewhere.
  void add(llvm::StringRef name, double milliseconds);

  /// Measures passes as stages within the one that runs.
  std::unique_ptr<mlir::PassInstrumentation> createPassInstrumentation();

  /// Prints a table with the milliseconds of each stage and of all.
  void print(llvm::raw_ostream &os) const;

  /// The same as an array of objects: name, milliseconds, and the stages within.
  llvm::json::Value toJSON() const;

private:
  llvm::json::Array toJSON(size_t &row, unsigned depth) const;
  void finish(size_t row, Clock::duration duration);

  struct Row {
    std::string name;
    unsigned depth;
    double milliseconds;
  };
  std::vector<Row> rows;
  unsigned depth = 0;
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_STAGETIMES_H
