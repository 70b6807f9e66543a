// The conversion from the tile dialect to vector code for CPUs.
#ifndef COMPILER_CONVERSION_TILETOVECTOR_PASSES_TD
#define COMPILER_CONVERSION_TILETOVECTOR_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToVectorPass : Pass<"convert-tile-to-vector", "::mlir::ModuleOp"> {
  let summary = "lower each tile.kernel to a function for CPUs";
  let description = [{
    The function has the kernel's name and the arguments (slots, batch, head, first row, end of rows, scratch). Of a kernel with
    a mask there is a second one, with `_planned` added to its name, which takes the runs of keys to visit as its last argument; the first one calls it. Its body is
    `scf`, `arith` and `vector`, with addresses and loads in the LLVM dialect. The attributes `attnc.query_block` and
    `attnc.scratch_bytes` give the most rows of one call and the bytes of scratch that it needs.

    Sums are reassociated over blocks of keys; exponentials are polynomials with an error below 1e-7, weights of 16-bit kernels may be
    rounded to bf16, and powers below 2^-126 may become 0.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // COMPILER_CONVERSION_TILETOVECTOR_PASSES_TD
