#ifndef COMPILER_CONVERSION_TILETONVVM_PASSES_TD
#define COMPILER_CONVERSION_TILETONVVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToNvvmPass : Pass<"convert-tile-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "lower each tile.kernel to a kernel for NVIDIA GPUs";
  let description = [{
    The kernel has the name of the tile.kernel and one parameter by value, the array of slots of its launch arguments. A launch is a row of
    thread blocks, one for each block of queries, head and batch: `attnc.query_block` gives the queries of one, `nvvm.reqntid` its threads and
    `attnc.shared_bytes` its shared memory, which is `@attnc_shared`. The body is `scf`, `arith` and `nvvm`.

    Products of f16 and bf16 run on tensor cores, with weights rounded to that type; those of f32 are fused multiply-adds. Sums are
    reassociated over blocks of keys. Exponentials are `ex2.approx.ftz`: relative error below 2^-22, and powers below 2^-126 are 0.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

#endif // COMPILER_CONVERSION_TILETONVVM_PASSES_TD
