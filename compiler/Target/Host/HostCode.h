//===- HostCode.h - LLVM IR and machine code of host kernels ------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_HOST_HOSTCODE_H
#define COMPILER_TARGET_HOST_HOSTCODE_H

#include "compiler/Target/Host/HostTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

namespace llvm {
class Function;
class LLVMContext;
class Module;
} // namespace llvm

namespace attnc {

/// Registers what translateToLLVMIR needs with the context.
void registerHostTranslations(mlir::MLIRContext &context);

/// The LLVM IR of `module`, which holds host kernels as functions of the LLVM dialect. Every kernel
/// NAME comes with a constant NAME_metadata: its KernelInfo as JSON text that ends with a zero
/// byte. Returns null after a diagnostic.
std::unique_ptr<llvm::Module> translateToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                const HostTarget &target);

/// Sets what all code generation for a function depends on. `min-legal-vector-width` stays unset:
/// without it, 512-bit vectors are not split whatever width the CPU prefers.
void setTargetAttributes(llvm::Function &function, const HostTarget &target);

/// Writes `module`, which must not be used after that, as an object file or assembly.
void emitHostCode(llvm::Module &module, const HostTarget &target, llvm::CodeGenFileType kind,
                  llvm::raw_pwrite_stream &os);

/// An error if an object file has undefined symbols: a pass has asked for a library.
llvm::Error checkSelfContained(llvm::MemoryBufferRef object);

} // namespace attnc

#endif // COMPILER_TARGET_HOST_HOSTCODE_H
