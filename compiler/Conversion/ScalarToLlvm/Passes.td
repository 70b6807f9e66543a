// The pass that turns what a thread computes into the LLVM dialect.
#ifndef COMPILER_CONVERSION_SCALARTOLLVM_PASSES_TD
#define COMPILER_CONVERSION_SCALARTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertScalarToLlvmPass : Pass<"convert-scalar-to-llvm", "::mlir::ModuleOp"> {
  let summary = "turn arith, cf, math and ub into the LLVM dialect";
  let description = [{
    Ops on scalars that are one op of the LLVM dialect become that op, all in one walk: these are nearly all of a kernel for GPUs. If
    something of these dialects is left, MLIR's own conversions take it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // COMPILER_CONVERSION_SCALARTOLLVM_PASSES_TD
