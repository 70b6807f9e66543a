//===- PlanReport.h - A plan, for people and for programs ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_PLANREPORT_H
#define COMPILER_DRIVER_PLANREPORT_H

#include "attnc/Plan.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc::driver {

/// A plan, and what making it took.
struct PlanReport {
  Plan plan;
  PlanStatistics statistics;
  double milliseconds = 0; ///< of makePlan(); 0 for a plan that was read
  bool verified = false;

  void printText(llvm::raw_ostream &os) const;
  /// Rows that are shared by batches or heads are given once, with -1 for them.
  llvm::json::Value toJSON() const;
};

/// Makes the plan, with the median of the times of a few runs.
std::optional<std::string> makePlanReport(const HostKernel &kernel, const BoundArguments &arguments,
                                          const PlanOptions &options, PlanReport &report);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_PLANREPORT_H
