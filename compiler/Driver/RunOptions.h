//===- RunOptions.h - What attn-run is asked to do ----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_RUNOPTIONS_H
#define COMPILER_DRIVER_RUNOPTIONS_H

#include "attnc/Launch.h"
#include "compiler/Driver/Tf32Flags.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace attnc::driver {

/// What a program runs on.
struct RunDevice {
  enum Kind { Host, Cuda, Emulator, Reference };
  Kind kind = Host;
  std::string name = "host";
  int ordinal = 0; ///< of a GPU
};

/// How q, k and v are stored.
enum class TensorLayout { BHSD, BSHD, THD };

/// `--view NAME=STORED:SHAPE:STRIDES:OFFSET`.
struct ViewOption {
  std::string stored;
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
};

/// `--fill NAME=KIND`.
struct FillOption {
  enum Kind { Normal, Range, Documents, Const } kind = Normal;
  double low = 0, high = 0; ///< of a range; `low` of a constant
  int64_t documents = 1;
};

/// `--scale X`.
struct ScaleOption {
  float value = 1;
  std::string text; ///< as written
};

/// `--random B=1,Hq=8,...`.
struct RandomOption {
  std::map<std::string, int64_t> sizes; ///< dimensions and extents by name
  ElementType dtype = ElementType::BF16;
};

/// The command line of attn-run.
struct RunOptions {
  std::string program;
  std::string in, out; ///< `-` writes to standard output
  /// In order of preference: the first that can run the program is taken.
  std::vector<RunDevice> devices = {RunDevice()};
  std::string deviceList = "host"; ///< as written
  bool explainDevice = false;
  bool lse = false, weights = false;
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> approx;
  bool checked = false;
  std::map<std::string, ScalarValue> scalars;
  std::optional<ScaleOption> scale;
  std::map<std::string, ViewOption> views;
  TensorLayout layout = TensorLayout::BHSD;
  std::optional<RandomOption> random;
  uint64_t seed = 0;
  std::map<std::string, FillOption> fills;
  bool check = false, bench = false, json = false, timePasses = false;
  std::string maskPicture; ///< a file, `-` for standard output
  bool plan = false, verifyPlan = false, refinePlan = false;
  int64_t planRows = 0, planKeys = 0; ///< of a block; 0 if not given
  std::string savePlan, loadPlan;     ///< files
  std::string after;                  ///< attn passes to run first
  std::string cpu;                    ///< empty if not given
  std::string arch;                   ///< of the emulator; empty if not given
  std::string tile;                   ///< of the emulator; empty if not given
  Tf32Flags tf32;                     ///< of the emulator and GPUs
  /// Schedules of the emulator, the first of a fixed list; 0 if not given.
  unsigned schedules = 0;
  std::optional<int64_t> multiprocessors, splits; ///< of the emulated GPU
  bool perturbApproximations = false;
  bool statistics = false;
  unsigned threads = 0;
  bool help = false, version = false;
};

/// True if a plan is asked for.
bool wantsPlan(const RunOptions &options);

/// What is asked for that only another device does, or nothing.
std::optional<std::string> checkDevice(const RunOptions &options, const RunDevice &device);

/// Fills `options` from the words of a command line. Returns an error that names the option, or
/// nothing.
std::optional<std::string> parseRunOptions(const std::vector<std::string> &words,
                                           RunOptions &options);

/// What --help prints.
std::string getRunHelp();

} // namespace attnc::driver

#endif // COMPILER_DRIVER_RUNOPTIONS_H
