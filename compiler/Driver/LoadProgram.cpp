//===- LoadProgram.cpp - From a program's file to its kernel ----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/LoadProgram.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::driver;

static std::string printShape(const KernelShape &shape) {
  return "dtype " + getName(shape.dtype) + ", head dim " + std::to_string(shape.headDim) +
         " and value dim " + std::to_string(shape.valueDim);
}

/// Leaves only the first kernel for `shape` in a module that was read as text.
static std::optional<RunError> chooseKernel(ModuleOp module, const RunOptions &options,
                                            const KernelShape &shape, attn::KernelOp &kernel) {
  std::string found;
  SmallVector<attn::KernelOp> others;
  for (auto candidate : module.getOps<attn::KernelOp>()) {
    KernelInfo info = getKernelInfo(candidate);
    bool isWanted = !kernel && info.dtype == shape.dtype && info.headDim == shape.headDim &&
                    info.valueDim == shape.valueDim;
    if (isWanted)
      kernel = candidate;
    else
      others.push_back(candidate);
    found += (found.empty() ? "" : "; ") + printShape({info.dtype, info.headDim, info.valueDim});
  }
  if (!kernel)
    return RunError{BadInput, options.program + ": expected an attn.kernel for " +
                                  printShape(shape) + ", got " + (found.empty() ? "none" : found)};
  for (attn::KernelOp other : others)
    other.erase();
  kernel.setLse(options.lse);
  if (options.checked)
    kernel.setChecked(true);
  return std::nullopt;
}

std::optional<RunError> driver::loadProgram(Compilation &compilation, const RunOptions &options,
                                            const KernelShape &shape, const Target &target,
                                            attn::KernelOp &kernel) {
  if (std::optional<RunError> error = compilation.read(options.program))
    return error;
  // From `tile` on a kernel is lowered for one device, without what it takes to check it.
  if (std::optional<Phase> phase = compilation.getPhase(); phase && *phase > Phase::Expanded)
    return RunError{BadInput, options.program +
                                  ": expected an .attn program, or its form `attn` or "
                                  "`expanded`, got the form `" +
                                  getInfo(*phase).name.str() + "`"};
  if (!compilation.isSource() && (!options.defines.empty() || !options.approx.empty()))
    return RunError{BadUsage,
                    options.program + ": `-D` and `--approx` expect an .attn program, got IR"};
  if (std::optional<std::string> error = options.tf32.checkDtypes(shape.dtype))
    return RunError{BadUsage, options.program + ": " + *error};
  CompileOptions compile;
  compile.dtypes = {shape.dtype};
  compile.headDims = {{shape.headDim, shape.valueDim}};
  compile.lse = options.lse;
  compile.checked = options.checked;
  compile.defines = options.defines;
  compile.approx = options.approx;
  if (std::optional<RunError> error = compilation.runTo(Phase::Attn, compile, target))
    return error;
  return chooseKernel(compilation.getModule(), options, shape, kernel);
}

std::optional<RunError> driver::runAttnPasses(ModuleOp module, const std::string &passes) {
  PassManager manager(module.getContext());
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (failed(parsePassPipeline(passes, manager.nest<attn::KernelOp>(), stream)))
    return RunError{BadUsage,
                    "`--after`: " +
                        llvm::StringRef(errors).split('\n').first.split("error: ").second.str()};
  if (failed(manager.run(module)))
    return RunError{BadInput, ""};
  return std::nullopt;
}
