//===- LoadedProgram.h - From IR to a kernel on the GPU -----------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_GPU_LOADEDPROGRAM_H
#define TEST_BENCH_GPU_LOADEDPROGRAM_H

#include "compiler/Driver/Target.h"
#include "compiler/Frontend/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/cuda/CudaKernel.h"

namespace attnc::bench {

/// Compiles the kernel of `module`, at the phase attn, to PTX and loads that into `kernel`. Returns
/// what went wrong, with `diagnostics`, which get what MLIR reports of the module; or nothing.
std::optional<std::string> loadProgram(mlir::ModuleOp module, const driver::Target &target,
                                       const DiagnosticEngine &diagnostics,
                                       cuda::CudaKernel &kernel);

} // namespace attnc::bench

#endif // TEST_BENCH_GPU_LOADEDPROGRAM_H
