//===- Report.cpp - Faults found while a kernel runs ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Report.h"

#include <cstdio>

namespace attnc::emu {
namespace {

std::string formatDim(const Dim3 &dim) {
  return "(" + std::to_string(dim[0]) + "," + std::to_string(dim[1]) + "," +
         std::to_string(dim[2]) + ")";
}

std::string formatHex(uint64_t value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(value));
  return buffer;
}

} // namespace

std::string_view getFaultName(FaultKind kind) {
  constexpr std::string_view names[] = {"out of bounds",
                                        "use after free",
                                        "misaligned access",
                                        "wrong space",
                                        "uninitialised register",
                                        "uninitialised memory",
                                        "race",
                                        "cp.async not waited for",
                                        "cp.async never waited for",
                                        "barrier divergence",
                                        "barrier misuse",
                                        "deadlock",
                                        "missing convergence",
                                        "inactive lane",
                                        "read-only data written",
                                        "invalid operand",
                                        "division by zero",
                                        "invalid conversion",
                                        "over-wide shift",
                                        "trap",
                                        "stack overflow",
                                        "step budget",
                                        "launch"};
  return names[static_cast<size_t>(kind)];
}

bool isWarning(FaultKind kind) { return kind == FaultKind::AsyncNeverWaited; }

std::string formatFault(const Fault &fault) {
  std::string text = isWarning(fault.kind) ? "warning: " : "fault: ";
  text += getFaultName(fault.kind);
  if (!fault.message.empty())
    text += " (" + fault.message + ")";
  text += "\n  kernel " + fault.kernel;
  if (fault.line)
    text += "  ptx " + std::to_string(fault.line) + ": " + fault.text;
  text += "\n";
  if (fault.sourceLine)
    text += "  source " + fault.sourceFile + ":" + std::to_string(fault.sourceLine) + "\n";
  if (fault.warp >= 0) {
    text += "  block " + formatDim(fault.block);
    if (fault.lane >= 0)
      text += " thread " + formatDim(fault.thread);
    text += " warp " + std::to_string(fault.warp);
    if (fault.lane >= 0)
      text += " lane " + std::to_string(fault.lane);
    if (fault.hasAddress)
      text += "   " + fault.space + " " + formatHex(fault.address) + "+" +
              std::to_string(fault.size) +
              (fault.allocation.empty() ? "" : " in " + fault.allocation);
    text += "\n";
  }
  for (const std::string &detail : fault.details)
    text += "  " + detail + "\n";
  if (!fault.schedule.empty())
    text += "  schedule " + fault.schedule + "\n";
  if (fault.count > 1)
    text += "  " + std::to_string(fault.count) + " times\n";
  return text;
}

std::string quoteJson(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(c));
      result += buffer;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string formatFaultsAsJson(const std::vector<Fault> &faults) {
  std::string text = "[";
  auto dim = [](const Dim3 &values) {
    return "[" + std::to_string(values[0]) + ", " + std::to_string(values[1]) + ", " +
           std::to_string(values[2]) + "]";
  };
  for (const Fault &fault : faults) {
    text += text.size() > 1 ? ",\n " : "\n ";
    text +=
        "{\"kind\": " + quoteJson(getFaultName(fault.kind)) +
        ", \"warning\": " + (isWarning(fault.kind) ? "true" : "false") +
        ", \"message\": " + quoteJson(fault.message) + ", \"kernel\": " + quoteJson(fault.kernel) +
        ", \"line\": " + std::to_string(fault.line) + ", \"text\": " + quoteJson(fault.text) +
        ", \"source_file\": " + quoteJson(fault.sourceFile) +
        ", \"source_line\": " + std::to_string(fault.sourceLine) +
        ", \"block\": " + dim(fault.block) + ", \"thread\": " + dim(fault.thread) +
        ", \"warp\": " + std::to_string(fault.warp) + ", \"lane\": " + std::to_string(fault.lane);
    if (fault.hasAddress)
      text += ", \"address\": " + std::to_string(fault.address) +
              ", \"size\": " + std::to_string(fault.size) +
              ", \"space\": " + quoteJson(fault.space) +
              ", \"allocation\": " + quoteJson(fault.allocation);
    text += ", \"other_line\": " + std::to_string(fault.otherLine) + ", \"details\": [";
    for (size_t i = 0; i < fault.details.size(); ++i)
      text += (i ? ", " : "") + quoteJson(fault.details[i]);
    text += "], \"schedule\": " + quoteJson(fault.schedule) +
            ", \"count\": " + std::to_string(fault.count) + "}";
  }
  return text + (faults.empty() ? "]" : "\n]");
}

void FaultLog::add(Fault fault) {
  auto key = std::make_tuple(fault.kind, fault.line, fault.otherLine, fault.allocation);
  auto [place, isNew] = index.try_emplace(std::move(key), faults.size());
  if (isNew)
    faults.push_back(std::move(fault));
  else
    faults[place->second].count += fault.count;
}

void FaultLog::merge(const FaultLog &other) {
  for (const Fault &fault : other.faults)
    add(fault);
}

} // namespace attnc::emu
