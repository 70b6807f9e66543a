//===- LoadProgram.cpp - From a program's file to its kernel ----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/LoadProgram.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

static std::string printShape(const KernelShape &shape) {
  return "dtype " + getName(shape.dtype) + ", head dim " + std::to_string(shape.headDim) +
         " and value dim " + std::to_string(shape.valueDim);
}

/// Takes the kernel for `shape` out of a module in text.
static std::optional<RunError> loadModule(MLIRContext &context, const RunOptions &options,
                                          const KernelShape &shape, const SourceFile &file,
                                          LoadedProgram &program) {
  if (!options.defines.empty() || !options.approx.empty())
    return RunError{BadUsage,
                    options.program + ": `-D` and `--approx` expect an .attn program, got IR"};
  llvm::SourceMgr manager;
  manager.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(file.getText(), file.getName()),
                             llvm::SMLoc());
  program.module = parseSourceFile<ModuleOp>(manager, &context);
  if (!program.module)
    return RunError{BadInput, ""};
  std::string found;
  SmallVector<attn::KernelOp> others;
  for (auto kernel : program.module->getOps<attn::KernelOp>()) {
    KernelInfo info = getKernelInfo(kernel);
    KernelShape its{info.dtype, info.headDim, info.valueDim};
    bool isWanted = its.dtype == shape.dtype && its.headDim == shape.headDim &&
                    its.valueDim == shape.valueDim && !program.kernel;
    if (isWanted)
      program.kernel = kernel;
    else
      others.push_back(kernel);
    found += (found.empty() ? "" : "; ") + printShape(its);
  }
  if (!program.kernel)
    return RunError{BadInput, options.program + ": expected an attn.kernel for " +
                                  printShape(shape) + ", got " + (found.empty() ? "none" : found)};
  for (attn::KernelOp other : others)
    other.erase();
  program.kernel.setLse(options.lse);
  program.kernel.setChecked(options.checked || program.kernel.getChecked());
  return std::nullopt;
}

std::optional<RunError> driver::loadProgram(MLIRContext &context, const RunOptions &options,
                                            const KernelShape &shape, SourceManager &sources,
                                            DiagnosticEngine &engine, LoadedProgram &program) {
  auto buffer = llvm::MemoryBuffer::getFile(options.program);
  if (!buffer)
    return RunError{Environment, options.program + ": cannot open: " + buffer.getError().message()};
  const SourceFile &file = sources.add(options.program, (*buffer)->getBuffer().str());
  return loadModule(context, options, shape, file, program);
}

std::optional<RunError> driver::runAttnPasses(LoadedProgram &program, const std::string &passes) {
  PassManager manager(program.module->getContext());
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (failed(parsePassPipeline(passes, manager.nest<attn::KernelOp>(), stream)))
    return RunError{BadUsage,
                    "`--after`: " +
                        llvm::StringRef(errors).split('\n').first.split("error: ").second.str()};
  if (failed(manager.run(*program.module)))
    return RunError{BadInput, ""};
  return std::nullopt;
}
