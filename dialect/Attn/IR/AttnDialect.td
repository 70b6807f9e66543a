// The attn dialect and its enums. Ops are in AttnOps.td.
#ifndef DIALECT_ATTN_IR_ATTNDIALECT_TD
#define DIALECT_ATTN_IR_ATTNDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"

def AttnDialect : Dialect {
  let name = "attn";
  let cppNamespace = "::attnc::attn";
  let summary = "What an attention variant computes";
  let description = [{
    An `attn.kernel` says what is computed for every batch, head, query and key: a score region that
    changes a score and a mask region that says whether a pair takes part, both made of `arith`,
    `math` and the few ops of this dialect on scalars. The dialect knows no tile, thread or device.

    Values inside the regions have one of four types: `f32`, `i1`, and `i64` or `i32` for integers.
    Integer meaning is 64 bits with wrap-around; `i32` appears only where ranges prove it equal.
    All ops here are pure and total: no operand makes one of them trap or give poison.
  }];
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def Attn_CheckInside : I32EnumCase<"Inside", 0, "inside">;
def Attn_CheckClamp : I32EnumCase<"Clamp", 1, "clamp">;
def Attn_CheckWrap : I32EnumCase<"Wrap", 2, "wrap">;
def Attn_IndexCheck : I32Enum<"IndexCheck",
    "what remains to be done to an index before it is inside its dimension of size n",
    [Attn_CheckInside, Attn_CheckClamp, Attn_CheckWrap]> {
  let cppNamespace = "::attnc::attn";
}

#endif // DIALECT_ATTN_IR_ATTNDIALECT_TD
