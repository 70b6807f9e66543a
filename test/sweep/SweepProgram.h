//===- SweepProgram.h - One random program and its launches -------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_SWEEP_SWEEPPROGRAM_H
#define TEST_SWEEP_SWEEPPROGRAM_H

#include "attnc/HostKernel.h"
#include "compiler/Driver/Check.h"
#include "compiler/Frontend/Frontend.h"
#include "compiler/Target/Host/HostTarget.h"
#include "runtime/emulator/EmulatedKernel.h"
#include "test/sweep/LaunchGenerator.h"

namespace attnc::sweep {

/// What is compared with the reference.
struct SweepDevices {
  bool host = true;
  bool passes = true; ///< the reference again, after the passes over the attn dialect
  bool emulator = false;
};

/// A program that follows from a seed and a number, compiled for the element type, head sizes, CPU
/// and GPU that follow from them too.
class SweepProgram {
public:
  static constexpr int64_t launchesPerProgram = 4;

  SweepProgram(uint64_t seed, int64_t number, const SweepDevices &devices);

  /// Compiles for the devices. Returns what went wrong, or "".
  std::string compile();

  /// Runs a launch (0 to launchesPerProgram - 1) and judges it. Returns what went wrong, or "".
  std::string runLaunch(int64_t launch);

  /// Writes the program, the tensors of a launch and the command that runs them to `folder`; only
  /// the front end must have got through for the tensors.
  void save(int64_t launch, const std::string &folder);

  /// The pairs of all launches so far, and those that take part.
  int64_t getNumPairs() const { return pairs; }
  int64_t getNumTakingPart() const { return takingPart; }

  const std::string &getText() const { return program.text; }
  /// The options of attn-run besides the tensors.
  std::string getOptions() const;

private:
  std::string compileToAttn();
  std::string compileForHost();
  std::string compileForEmulator();
  GeneratedLaunch makeLaunch(int64_t launch) const;

  uint64_t seed;
  int64_t number;
  SweepDevices devices;
  GeneratedProgram program;
  KernelShape shape;
  bool lse = true;
  std::string cpu = "native", arch;

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module, expanded;
  std::optional<HostKernel> host;
  std::optional<emu::EmulatedKernel> emulated;
  KernelInfo info;
  int64_t pairs = 0, takingPart = 0;
};

} // namespace attnc::sweep

#endif // TEST_SWEEP_SWEEPPROGRAM_H
