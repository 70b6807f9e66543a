//===- StageTimes.cpp - Where the time of a compilation goes ----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/StageTimes.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/Format.h"
#include <optional>

using namespace attnc::driver;

StageTimes::Scope StageTimes::start(llvm::StringRef name) {
  rows.push_back({name.str(), depth++, 0});
  return Scope(*this, rows.size() - 1);
}

void StageTimes::finish(size_t row, Clock::duration duration) {
  rows[row].milliseconds = std::chrono::duration<double, std::milli>(duration).count();
  depth = rows[row].depth;
}

void StageTimes::add(llvm::StringRef name, double milliseconds) {
  rows.push_back({name.str(), depth, milliseconds});
}

namespace {
class PassTimes : public mlir::PassInstrumentation {
public:
  explicit PassTimes(StageTimes &times) : times(times) {}

private:
  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override {
    // What has no name on the command line only holds other passes.
    llvm::StringRef name = pass->getArgument();
    running.push_back(name.empty() ? std::nullopt : std::optional(times.start(name)));
  }
  void runAfterPass(mlir::Pass *, mlir::Operation *) override { running.pop_back(); }
  void runAfterPassFailed(mlir::Pass *, mlir::Operation *) override { running.pop_back(); }

  StageTimes &times;
  std::vector<std::optional<StageTimes::Scope>> running;
};
} // namespace

std::unique_ptr<mlir::PassInstrumentation> StageTimes::createPassInstrumentation() {
  return std::make_unique<PassTimes>(*this);
}

void StageTimes::print(llvm::raw_ostream &os) const {
  double sum = 0;
  for (const Row &row : rows) {
    os << llvm::format("%10.2f ms  ", row.milliseconds);
    os.indent(2 * row.depth) << row.name << '\n';
    if (row.depth == 0)
      sum += row.milliseconds;
  }
  os << llvm::format("%10.2f ms  ", sum) << "total\n";
}

/// The stages of `depth` from `row` on, which becomes the first row that is not among them.
llvm::json::Array StageTimes::toJSON(size_t &row, unsigned depth) const {
  llvm::json::Array stages;
  while (row < rows.size() && rows[row].depth == depth) {
    const Row &stage = rows[row++];
    llvm::json::Object object{{"name", stage.name}, {"milliseconds", stage.milliseconds}};
    if (llvm::json::Array inner = toJSON(row, depth + 1); !inner.empty())
      object["stages"] = std::move(inner);
    stages.push_back(std::move(object));
  }
  return stages;
}

llvm::json::Value StageTimes::toJSON() const {
  size_t row = 0;
  return toJSON(row, /*depth=*/0);
}
