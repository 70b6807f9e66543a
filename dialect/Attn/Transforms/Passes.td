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

def NarrowIntegersPass : Pass<"attn-narrow-integers", "::attnc::attn::KernelOp"> {
  let summary = "compute integers in 32 bits where ranges allow";
  let description = [{
    Integers mean 64 bits. A comparison, a conversion to float or an index whose operands fit in 32 bits at every
    pair inside the tensors takes them as i32, and so does what they are computed from: sums, products and bitwise
    ops need only the low halves of their operands, so that `q + KV - Q` is computed in 32 bits though `q + KV`
    does not fit. Positions and the dimensions B, Hq, Hkv, Q and KV are at most 2^31 - 1; extents are not.

    Numbers: bit-exact.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ElideIndexChecksPass : Pass<"attn-elide-index-checks", "::attnc::attn::KernelOp"> {
  let summary = "drop index checks that ranges make needless";
  let description = [{
    An index of `attn.load` that is never negative needs no `wrap`, one that is also below its dimension's size at
    every pair inside the tensors is `inside`. Sizes may be sums and multiples of B, Hq, Q and KV, so that
    `q - kv + KV - 1` is inside `"Q" + "KV" - 1`.

    Numbers: bit-exact.
  }];
}

def ExpandMathPass : Pass<"attn-expand-math"> {
  let summary = "replace math functions by arithmetic";
  let description = [{
    Replaces every op of the math dialect on f32, or vectors of it, that a target has no instruction for, and `arith.remf`, by
    other arith ops and math.fma, so that no call to a math library remains. `sqrt`, `absf`, `copysign` and `fma` stay, as do
    `floor`, `ceil`, `trunc` and `roundeven` unless `expand-rounding` is set. An op with `fastmath<afn>` gets a
    cheaper form with a relative error of at most 2^-11 where there is one: exp, exp2 and tanh. With `approximations`
    those three become ops with `fastmath<afn>`, which stand for instructions that are good to about 2 ulp (tanh: 2^-11).

    Numbers: each function is good to 4 ulp (tanh, erf, sin and cos: or 2^-22), see docs/math.md; the rounding
    functions are exact.
  }];
  let options = [
    Option<"noFma", "no-fma", "bool", /*default=*/"false",
           "The target has no fused multiply-add: use multiplications and additions">,
    Option<"expandRounding", "expand-rounding", "bool", /*default=*/"false",
           "The target does not round to integers: expand floor, ceil, trunc and roundeven too">,
    Option<"approximations", "approximations", "bool", /*default=*/"false",
           "The target has instructions for 2^x, tanh and 1 / x, as GPUs have: exp, exp2 and tanh become these">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def PrintMaskAnalysisPass : Pass<"attn-print-mask-analysis", "::attnc::attn::KernelOp"> {
  let summary = "say what is known of each conjunct of a mask without visiting pairs";
  let description = [{
    Emits one remark for each conjunct, where it stands, with its text and its class:

    - `closed form`: the keys of a range of queries are a formula of the range;
    - `intervals`: blocks of pairs are classified by the intervals of the values;
    - `table ranges`: the same, with the smallest and largest captured value over the block;
    - `per pair`: nothing is known, every pair is evaluated.

    Numbers: bit-exact, nothing is changed.
  }];
}

#endif // DIALECT_ATTN_TRANSFORMS_PASSES_TD
