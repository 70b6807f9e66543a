// The pass that describes kernels to their callers.
#ifndef COMPILER_TARGET_KERNELINFO_PASSES_TD
#define COMPILER_TARGET_KERNELINFO_PASSES_TD

include "mlir/Pass/PassBase.td"

def DescribeKernelsPass : Pass<"attn-describe-kernels", "::mlir::ModuleOp"> {
  let summary = "note on the module how each attn.kernel is launched";
  let description = [{
    Sets the attribute `attnc.kernels`: for each kernel its element type, sizes, captured tensors and scalars, as
    JSON text. What comes after the attn dialect no longer holds these facts, and the object file carries them.

    Numbers: bit-exact.
  }];
}

#endif // COMPILER_TARGET_KERNELINFO_PASSES_TD
