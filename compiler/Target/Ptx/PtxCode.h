//===- PtxCode.h - LLVM IR and PTX of kernels for GPUs ------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_PTX_PTXCODE_H
#define COMPILER_TARGET_PTX_PTXCODE_H

#include "attnc/GpuKernel.h"
#include "compiler/Target/Ptx/PtxTarget.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace attnc {

/// Registers what translateToLLVMIR needs with the context.
void registerPtxTranslations(mlir::MLIRContext &context);

/// The LLVM IR of `module`, which holds kernels for GPUs as functions of the LLVM dialect. Every
/// kernel NAME comes with a constant NAME_metadata in global memory: its metadata as JSON text that
/// ends with a zero byte. Returns null after a diagnostic.
std::unique_ptr<llvm::Module> translateToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                const PtxTarget &target);

/// Kernels that are compiled on their own.
struct PtxPart {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> ir;

  PtxPart();
  PtxPart(PtxPart &&) noexcept;
  ~PtxPart();
};

/// The same in parts for several threads to compile: entries with the functions that they call, of
/// which none calls one of another part. A single thread gets a single part, which costs less.
/// Returns null after a diagnostic.
std::optional<std::vector<PtxPart>> translateParts(mlir::ModuleOp module, const PtxTarget &target,
                                                   int threads);

/// Writes `parts`, which translateParts made of `module` for as many threads, as PTX, which does
/// not depend on their number. Comments say what is in the file, and where the phases of kernels
/// begin: `phases` is what encodeLocations gave for `module` before it was translated. `.loc` lines
/// stay with `lineInfo`.
void emitPtx(mlir::ModuleOp module, std::vector<PtxPart> parts, const PtxTarget &target,
             const std::vector<std::string> &phases, bool lineInfo, int threads,
             llvm::raw_ostream &os);

/// The kernel `function`, with what its attributes say; of its info only the name.
GpuKernel describeGpuKernel(mlir::LLVM::LLVMFuncOp function);

} // namespace attnc

#endif // COMPILER_TARGET_PTX_PTXCODE_H
