//===- HostLevels.h - Kernels for several levels of CPUs ----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_HOST_HOSTLEVELS_H
#define COMPILER_TARGET_HOST_HOSTLEVELS_H

#include "compiler/Target/Host/HostTarget.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <vector>

namespace attnc {

/// The kernels of a program for one CPU. Those of several levels are the same but for their code.
struct HostLevel {
  HostTarget target;
  std::unique_ptr<llvm::Module> module; ///< as translateToLLVMIR() makes it
};

/// The metadata of the kernels of `module`, in its order.
std::vector<llvm::json::Object> getMetadataOf(const llvm::Module &module);

/// Adds what `from` has to `into`.
void linkInto(llvm::Module &into, std::unique_ptr<llvm::Module> from);

/// All levels in one module, for an image. The first one has the names of the kernels. Names of the
/// others, which are levels of x86-64, end with a suffix, `_v3`, which their metadata has as
/// `symbol_suffix`; whoever loads the image chooses.
std::unique_ptr<llvm::Module> joinLevels(std::vector<HostLevel> levels);

} // namespace attnc

#endif // COMPILER_TARGET_HOST_HOSTLEVELS_H
