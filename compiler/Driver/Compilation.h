//===- Compilation.h - A program on its way through the phases ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_COMPILATION_H
#define COMPILER_DRIVER_COMPILATION_H

#include "compiler/Driver/CompileOptions.h"
#include "compiler/Driver/IRDiagnostics.h"
#include "compiler/Driver/RunError.h"
#include "compiler/Driver/StageTimes.h"
#include "compiler/Driver/Target.h"
#include "compiler/Frontend/AST.h"
#include "compiler/Frontend/Diagnostics.h"
#include "compiler/Target/Host/HostLevels.h"
#include "compiler/Target/Ptx/LaunchHeader.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace attnc::driver {

/// A program on its way through the phases. What is wrong with it goes to getDiagnostics(); an
/// error without a message says that something is there.
class Compilation {
public:
  explicit Compilation(StageTimes &times);

  /// Reads the file `path`, or standard input for `-`: an .attn program, or a form of MLIR.
  std::optional<RunError> read(const std::string &path);

  /// Takes an .attn program from memory; `name` is that of its file in messages.
  std::optional<RunError> readText(const std::string &name, std::string text);

  /// True for an .attn program.
  bool isSource() const { return source; }
  /// The phase it is at; nothing for an .attn program that has not been compiled.
  std::optional<Phase> getPhase() const { return phase; }

  /// The kind of target that the program is for by the ops in it; nothing if any will do.
  std::optional<TargetKind> getTargetKind() const { return targetKind; }

  /// Brings the program to `to`, a phase of MLIR. `options` are for .attn programs.
  std::optional<RunError> runTo(Phase to, const CompileOptions &options, const Target &target);

  /// The IR, once there is one.
  mlir::ModuleOp getModule() { return module.get(); }

  /// Writes the program in the form of `form`, which comes after its phase or is it.
  std::optional<RunError> write(Phase form, const CompileOptions &options, const Target &target,
                                llvm::raw_pwrite_stream &os);

  /// Writes the program as one object file or image for several levels of CPUs.
  std::optional<RunError> writeForLevels(Phase form, const CompileOptions &options,
                                         llvm::ArrayRef<Target> targets, llvm::raw_ostream &os);

  /// Compiles the program for `target`, a GPU, and reads back what launching its kernels takes.
  std::optional<RunError> makeGpuModule(const CompileOptions &options, const Target &target,
                                        GpuModule &module);

  /// Calls `compile` for each target. Of several, every one gets the program at the phase that they
  /// share, or at the one it is at.
  std::optional<RunError>
  forEachTarget(const CompileOptions &options, llvm::ArrayRef<Target> targets,
                llvm::function_ref<std::optional<RunError>(const Target &)> compile);

  /// What the names of kernels begin with, which is what a package calls the program.
  std::string getName(const CompileOptions &options) const;

  /// The name of the program as one that C takes.
  std::string getIdentifier(const CompileOptions &options) const;

  /// Prints what is known of the program's kernels, which stays at its phase, attn to tile.
  std::optional<RunError> explain(const CompileOptions &options, const Target &target,
                                  llvm::raw_ostream &os);

  DiagnosticEngine &getDiagnostics() { return diagnostics; }

private:
  std::optional<RunError> readModule(const SourceFile &file);
  const ast::Module *parseSource();
  std::optional<RunError> analyse(const CompileOptions &options);
  std::optional<RunError> writeLevels(Phase form, std::vector<HostLevel> levels,
                                      llvm::raw_ostream &os);
  std::optional<RunError> writeForGpu(Phase form, const CompileOptions &options,
                                      const Target &target, llvm::raw_ostream &os);
  std::optional<RunError> makePtx(const CompileOptions &options, const Target &target);

  StageTimes &times;
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  IRDiagnostics irDiagnostics{&context, diagnostics};
  ast::ASTContext trees;
  const SourceFile *file = nullptr;
  bool source = false;
  std::optional<Phase> phase;
  std::optional<TargetKind> targetKind;
  std::optional<std::string> ptx; ///< once it was made
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_COMPILATION_H
