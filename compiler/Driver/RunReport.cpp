//===- RunReport.cpp - What attn-run says -----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/RunReport.h"
#include "runtime/emulator/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace attnc;
using namespace attnc::driver;

bool RunReport::passes() const {
  return !check || llvm::all_of(*check, [](const OutputCheck &output) { return output.passes(); });
}

void RunReport::printText(llvm::raw_ostream &os) const {
  if (device)
    device->printText(os);
  if (plan)
    plan->printText(os);
  if (check)
    for (const OutputCheck &output : *check) {
      os << "check  ";
      output.print(os);
    }
  if (statistics)
    os << emu::formatStatistics(*statistics);
  if (!bench)
    return;
  os << llvm::format("bench  %.3f ms (median of %d runs, %u thread%s)\n", bench->milliseconds,
                     bench->runs, bench->threads, bench->threads == 1 ? "" : "s")
     << llvm::format("       %.1f GFLOP/s over ", bench->gflops)
     << llvm::formatv("{0:N}", pairs).str()
     << llvm::format(" pairs that take part: %.1f %% of the %.0f GFLOP/s of a %s\n",
                     100 * bench->getShareOfPeak(), bench->peakGflops, bench->instruction)
     << llvm::format("       %.1f MiB of memory at the peak\n",
                     static_cast<double>(bench->peakBytes) * 0x1p-20);
}

static llvm::json::Value toJSON(double value) {
  return std::isfinite(value) ? llvm::json::Value(value) : llvm::json::Value(nullptr);
}

static llvm::json::Value toJSON(const emu::Statistics &statistics) {
  llvm::json::Object instructions;
  for (size_t i = 0; i < emu::Statistics::classes; ++i)
    if (statistics.warpInstructions[i])
      instructions[std::string(emu::getClassName(static_cast<emu::InstructionClass>(i)))] =
          llvm::json::Object{{"warp", statistics.warpInstructions[i]},
                             {"lane", statistics.laneInstructions[i]}};
  return llvm::json::Object{{"instructions", std::move(instructions)},
                            {"branches", statistics.branches},
                            {"divergent_branches", statistics.divergentBranches},
                            {"shared_accesses", statistics.sharedAccesses},
                            {"shared_wavefronts", statistics.sharedWavefronts},
                            {"shared_conflicts", statistics.sharedConflicts},
                            {"global_accesses", statistics.globalAccesses},
                            {"global_sectors", statistics.globalSectors},
                            {"global_bytes", statistics.globalBytes}};
}

void RunReport::printJSON(llvm::raw_ostream &os) const {
  llvm::json::Object report;
  if (device)
    report["device"] = device->toJSON();
  if (plan)
    report["plan"] = plan->toJSON();
  if (check) {
    llvm::json::Object outputs;
    for (const OutputCheck &output : *check)
      outputs[output.name] =
          llvm::json::Object{{"error", toJSON(output.error)}, {"limit", toJSON(output.limit)}};
    report["check"] = llvm::json::Object{{"pass", passes()}, {"outputs", std::move(outputs)}};
  }
  if (bench)
    report["bench"] = llvm::json::Object{{"milliseconds", toJSON(bench->milliseconds)},
                                         {"gflops", toJSON(bench->gflops)},
                                         {"share_of_peak", toJSON(bench->getShareOfPeak())},
                                         {"peak_bytes", bench->peakBytes},
                                         {"threads", static_cast<int64_t>(bench->threads)}};
  if (statistics)
    report["statistics"] = toJSON(*statistics);
  if (times)
    report["time_passes"] = *times;
  os << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(report)));
}
