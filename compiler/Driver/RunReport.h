//===- RunReport.h - What attn-run says ---------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_RUNREPORT_H
#define COMPILER_DRIVER_RUNREPORT_H

#include "compiler/Driver/Bench.h"
#include "compiler/Driver/Check.h"
#include "compiler/Driver/DeviceReport.h"
#include "compiler/Driver/PlanReport.h"
#include "runtime/emulator/Statistics.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc::driver {

/// The reports of one run.
struct RunReport {
  std::optional<DeviceReport> device; ///< where one was chosen
  std::optional<std::vector<OutputCheck>> check;
  std::optional<BenchResult> bench;
  int64_t pairs = 0; ///< that take part; counted for `bench`
  std::optional<PlanReport> plan;
  std::optional<emu::Statistics> statistics; ///< of a launch in the emulator
  std::optional<llvm::json::Value> times;    ///< of the stages; for JSON only

  bool passes() const;
  void printText(llvm::raw_ostream &os) const;
  /// One JSON object. A number that JSON cannot say (an infinite error) is null.
  void printJSON(llvm::raw_ostream &os) const;
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_RUNREPORT_H
