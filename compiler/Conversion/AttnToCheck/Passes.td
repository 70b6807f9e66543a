// The pass that adds the functions behind --checked.
#ifndef COMPILER_CONVERSION_ATTNTOCHECK_PASSES_TD
#define COMPILER_CONVERSION_ATTNTOCHECK_PASSES_TD

include "mlir/Pass/PassBase.td"

def GenerateIndexChecksPass : Pass<"generate-index-checks", "::mlir::ModuleOp"> {
  let summary = "add to each checked tile.kernel a function that finds clamped indices";
  let description = [{
    For a kernel NAME with `checked` a function NAME_check(slots, b, h, q, record) is added. It visits the keys of one
    query in ascending order and returns 1 at the first pair that takes part and for which an index of an
    `attn.load` is outside, that is neither in 0..n-1 nor in -n..-1; without one it returns 0. `record` then holds five i64: the number of the load in
    the kernel (from 0, in the order of a walk), the key, the dimension, the index and the size.

    The kernel itself stays as it is, so checking changes no result and costs the kernel no time.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

#endif // COMPILER_CONVERSION_ATTNTOCHECK_PASSES_TD
