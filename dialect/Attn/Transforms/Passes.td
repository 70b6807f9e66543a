// Passes over the attn dialect. Each says what it does to the numbers.
#ifndef DIALECT_ATTN_TRANSFORMS_PASSES_TD
#define DIALECT_ATTN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExtractMaskPass : Pass<"attn-extract-mask", "::attnc::attn::KernelOp"> {
  let summary = "turn -inf at the root of a score into a mask";
  let description = [{
    `where(c, score, -inf)` excludes pairs as a mask does. Where selects at the root of `attn.score` choose a
    constant -inf, the choice moves to `attn.mask`, and-ed with what is there, and the select becomes its other
    arm. A condition that depends on the score stays where it is, as does, in a `checked` kernel, one that loads.

    Numbers: bit-exact, but pairs whose score becomes -inf count as excluded.
  }];
}

#endif // DIALECT_ATTN_TRANSFORMS_PASSES_TD
