//===- GpuReport.cpp - What gpu-bench prints --------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/gpu/GpuReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace attnc;
using namespace attnc::bench;
namespace json = llvm::json;

bool GpuReport::passes() const {
  return !isGpuLost &&
         llvm::all_of(goldens, [](const GoldenResult &golden) { return golden.passes(); }) &&
         llvm::all_of(variants, [](const GpuResult &result) { return result.error.empty(); });
}

static std::string printTorch(const TorchResult &result, double milliseconds) {
  if (!result.milliseconds)
    return "-";
  return llvm::formatv("{0:F3} ms, {1:F2} x", *result.milliseconds,
                       *result.milliseconds / milliseconds)
      .str();
}

void GpuReport::printText(llvm::raw_ostream &os) const {
  os << gpu << "; kernels for " << arch << "\n";
  size_t passed = 0;
  for (const GoldenResult &golden : goldens) {
    passed += golden.passes();
    if (!golden.error.empty())
      os << "FAILED " << golden.name << ": " << llvm::StringRef(golden.error).rtrim() << "\n";
    for (const driver::OutputCheck &output : golden.outputs)
      if (!output.passes()) {
        os << "FAILED " << golden.name << ": ";
        output.print(os);
      }
  }
  if (goldensLeft)
    os << goldensLeft << " golden cases were not run: the GPU is lost to this process\n";
  if (hasGoldens)
    os << "golden cases: " << passed << " passed, " << goldens.size() - passed << " failed\n";
  if (!variants.empty())
    printVariants(os);
  if (variantsLeft)
    os << variantsLeft << " variants were not measured: the GPU is lost to this process\n";
}

void GpuReport::printVariants(llvm::raw_ostream &os) const {
  os << (torchError.empty() ? "PyTorch " + torch
                            : "nothing is compared with PyTorch: " + torchError)
     << "\n"
     << llvm::format("%-17s %-5s %4s %10s %9s  %-22s %-22s\n", "variant", "dtype", "D", "ms",
                     "TFLOP/s", "SDPA", "FlexAttention");
  for (const GpuResult &result : variants) {
    os << llvm::format("%-17s %-5s %4d ", result.variant.c_str(),
                       getName(result.shape.dtype).c_str(), static_cast<int>(result.shape.headDim));
    if (!result.error.empty())
      os << "FAILED: " << result.error << "\n";
    else
      os << llvm::format("%10.3f %9.1f  %-22s %-22s\n", result.milliseconds, result.teraflops,
                         printTorch(result.sdpa, result.milliseconds).c_str(),
                         printTorch(result.flex, result.milliseconds).c_str());
    for (auto [name, torch] : {std::pair("SDPA", &result.sdpa), {"FlexAttention", &result.flex}})
      if (!torch->reason.empty())
        os << "    " << name << ": " << torch->reason << "\n";
  }
}

/// A number that JSON cannot say is null.
static json::Value toJSON(double value) {
  return std::isfinite(value) ? json::Value(value) : json::Value(nullptr);
}

static json::Value toJSON(const TorchResult &result) {
  if (result.milliseconds)
    return json::Object{{"milliseconds", *result.milliseconds}};
  return json::Object{{"error", result.reason}};
}

void GpuReport::printJSON(llvm::raw_ostream &os) const {
  json::Object report{{"gpu", gpu}, {"arch", arch}, {"pass", passes()}};
  if (hasGoldens) {
    json::Array cases;
    for (const GoldenResult &golden : goldens) {
      json::Object outputs;
      for (const driver::OutputCheck &output : golden.outputs)
        outputs[output.name] =
            json::Object{{"error", toJSON(output.error)}, {"limit", toJSON(output.limit)}};
      json::Object entry{{"name", golden.name}, {"pass", golden.passes()}};
      entry["outputs"] = std::move(outputs);
      if (!golden.error.empty())
        entry["error"] = golden.error;
      cases.push_back(std::move(entry));
    }
    report["goldens"] = std::move(cases);
    report["goldens_left"] = static_cast<int64_t>(goldensLeft);
  }
  if (hasVariants) {
    json::Array rows;
    for (const GpuResult &result : variants) {
      json::Object row{{"variant", result.variant},
                       {"dtype", getName(result.shape.dtype)},
                       {"head_dim", result.shape.headDim},
                       {"heads", result.shape.heads},
                       {"length", result.shape.length}};
      if (result.error.empty()) {
        row["milliseconds"] = result.milliseconds;
        row["tflops"] = result.teraflops;
        if (torchError.empty()) {
          row["sdpa"] = toJSON(result.sdpa);
          row["flex"] = toJSON(result.flex);
        }
      } else {
        row["error"] = result.error;
      }
      rows.push_back(std::move(row));
    }
    report["variants"] = std::move(rows);
    report["variants_left"] = static_cast<int64_t>(variantsLeft);
    if (!variants.empty())
      report["torch"] = torchError.empty() ? json::Object{{"version", torch}}
                                           : json::Object{{"error", torchError}};
  }
  os << llvm::formatv("{0:2}\n", json::Value(std::move(report)));
}
