// The pass that adds the functions with which plans are made.
#ifndef COMPILER_CONVERSION_ATTNTOPLAN_PASSES_TD
#define COMPILER_CONVERSION_ATTNTOPLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def GeneratePlannersPass : Pass<"generate-planners", "::mlir::ModuleOp"> {
  let summary = "add to each tile.kernel with a mask the functions with which plans are made";
  let description = [{
    For a kernel NAME with a mask, functions are added that tell what the mask leaves of rectangles of pairs of one batch and head;
    `runtime/include/attnc/MaskPlanner.h` documents their arguments:

    - NAME_classify tells of rectangles whether no pair or every pair takes part, by the mask analysis: without visiting pairs, from the
      summaries of captured tables.
    - NAME_summarize_queries and NAME_summarize_keys make those of blocks, where the mask reads tables by query or by key: one pass over the tables.
    - NAME_key_bounds gives the keys of blocks of queries where that is all there is to know: where the mask has a closed form.
    - NAME_refine tells the same as NAME_classify by evaluating pairs.

    What a planner has is noted on the kernel, for the pass that makes its function. The kernel itself stays as it is.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // COMPILER_CONVERSION_ATTNTOPLAN_PASSES_TD
