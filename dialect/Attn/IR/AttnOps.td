// Operations of the attn dialect.
#ifndef DIALECT_ATTN_IR_ATTNOPS_TD
#define DIALECT_ATTN_IR_ATTNOPS_TD

include "dialect/Attn/IR/AttnDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Attn_Op<string mnemonic, list<Trait> traits = []> : Op<AttnDialect, mnemonic, traits>;

/// An integer value inside a region.
def Attn_Int : AnyTypeOf<[I32, I64], "32- or 64-bit integer">;
/// Any value inside a region.
def Attn_Value : AnyTypeOf<[F32, I1, I32, I64], "f32, bool or integer value">;

//===----------------------------------------------------------------------===//
// Kernel and its declarations
//===----------------------------------------------------------------------===//

def Attn_KernelOp : Attn_Op<"kernel", [
    IsolatedFromAbove, Symbol, SymbolTable, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "one attention variant for one element type and head dim";
  let description = [{
    Computes, for q `[B, Hq, Q, D]`, k `[B, Hkv, KV, D]`, v `[B, Hkv, KV, Dv]` of element type
    `dtype`, the output o `[B, Hq, Q, Dv]` in `dtype` and, with `lse`, the log-sum-exp
    `[B, Hq, Q]` in f32. The softmax scale is `scale` when given, the launch argument named `scale`
    with `scale_argument`, and 1/sqrt(D) otherwise. `checked` asks for code that reports indices
    that were clamped at pairs that take part.

    The body holds `attn.capture`, `attn.scalar` and `attn.table` ops, in the order of the launch
    arguments, then at most one `attn.score` and at most one `attn.mask`. Without `attn.score` a score stays
    as it is, without `attn.mask` every pair takes part.

    ```mlir
    attn.kernel @alibi_bf16_d128 dtype(bf16) head_dim(128) value_dim(128) lse {
      attn.capture @slopes : f32["Hq"]
      attn.score(%score, %b, %h, %q, %kv) {
        %slope = attn.load @slopes[%h] : f32
        %distance = arith.subi %kv, %q : i64
        %d = arith.sitofp %distance : i64 to f32
        %bias = arith.mulf %slope, %d : f32
        %r = arith.addf %score, %bias : f32
        attn.yield %r : f32
      }
      attn.mask(%b, %h, %q, %kv) {
        %m = arith.cmpi sge, %q, %kv : i64
        attn.yield %m : i1
      }
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<AnyTypeOf<[F32, F16, BF16]>>:$dtype,
    I64Attr:$head_dim,
    I64Attr:$value_dim,
    OptionalAttr<F32Attr>:$scale,
    UnitAttr:$scale_argument,
    UnitAttr:$lse,
    UnitAttr:$checked);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `dtype` `(` $dtype `)` `head_dim` `(` $head_dim `)` `value_dim` `(` $value_dim `)`
    (`scale` `(` $scale^ `)`)? (`scale_argument` $scale_argument^)? (`lse` $lse^)?
    (`checked` $checked^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Captured tensors, scalars and tables by name; null if there is none.
    ::attnc::attn::CaptureOp lookupCapture(::llvm::StringRef name);
    ::attnc::attn::ScalarOp lookupScalar(::llvm::StringRef name);
    ::attnc::attn::TableOp lookupTable(::llvm::StringRef name);

    /// What changes a score, or null: scores stay as they are.
    ::attnc::attn::ScoreOp getScore();
    /// What says whether a pair takes part, or null: every pair does.
    ::attnc::attn::MaskOp getMask();

    /// The names that captured shapes bind and that are not dimensions of q, k or v, in order of
    /// first use; with the names in getDimensionNames() these are what `attn.dim` may read.
    ::llvm::SmallVector<::llvm::StringRef> getExtentNames();

    /// The run-time dimensions every kernel has: B, Hq, Hkv, Q, KV.
    static ::llvm::ArrayRef<::llvm::StringRef> getDimensionNames();

    /// The scale applied to q·k when it is known at compile time, else no value.
    std::optional<float> getStaticScale();
  }];
}

class Attn_BodyOp<string mnemonic> : Attn_Op<mnemonic, [
    HasParent<"KernelOp">, IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`` custom<PairBody>($body) attr-dict";
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Attn_ScoreOp : Attn_BodyOp<"score"> {
  let summary = "changes a score: (score, b, h, q, kv) of types (f32, i64, i64, i64, i64) to f32";
  let description = [{
    The incoming score is scale * dot(q, k). Inside are only pure ops without regions, on values of type
    f32, i1, i64 and i32; f16 and bf16 appear where a value is rounded through them. A region that
    yields its first argument is removed by canonicalisation.
  }];
  let extraClassDeclaration = [{
    ::mlir::Value getScoreArgument() { return getBody().getArgument(0); }
    ::mlir::Value getBatch() { return getBody().getArgument(1); }
    ::mlir::Value getHead() { return getBody().getArgument(2); }
    ::mlir::Value getQuery() { return getBody().getArgument(3); }
    ::mlir::Value getKey() { return getBody().getArgument(4); }
    ::mlir::Value getYielded() { return getBody().front().getTerminator()->getOperand(0); }
  }];
}

def Attn_MaskOp : Attn_BodyOp<"mask"> {
  let summary = "says whether a pair takes part: (b, h, q, kv) of type i64 to i1";
  let description = [{
    Made of the same ops as `attn.score`. A region that yields constant true is removed by
    canonicalisation; constant false stays, as no mask means that every pair takes part.
  }];
  let extraClassDeclaration = [{
    ::mlir::Value getBatch() { return getBody().getArgument(0); }
    ::mlir::Value getHead() { return getBody().getArgument(1); }
    ::mlir::Value getQuery() { return getBody().getArgument(2); }
    ::mlir::Value getKey() { return getBody().getArgument(3); }
    ::mlir::Value getYielded() { return getBody().front().getTerminator()->getOperand(0); }
  }];
}

def Attn_CaptureOp : Attn_Op<"capture", [Symbol, HasParent<"KernelOp">]> {
  let summary = "declares a captured tensor";
  let description = [{
    A launch argument of this element type (the type as stored: `f32 f16 bf16 i8 ui8 i16 i32 i64 i1`, where `i1` is
    stored as one byte) and rank, with any strides. `shape` gives each size as an expression over the symbols
    named in `dims`: run-time dimensions (`"B"`, `"Hq"`, …) or extents that the tensors bind.

    ```mlir
    attn.capture @rel : f32["Hq", "Q" + "KV" - 1]
    attn.capture @pos : i32[]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$element_type, StrArrayAttr:$dims,
                       AffineMapAttr:$shape);
  let assemblyFormat = "$sym_name `:` custom<CaptureType>($element_type, $dims, $shape) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getRank() { return getShape().getNumResults(); }
    /// The dimension or extent name of symbol `i` of the shape map.
    ::llvm::StringRef getDimName(unsigned i) {
      return ::llvm::cast<::mlir::StringAttr>(getDims()[i]).getValue();
    }
  }];
}

def Attn_ScalarOp : Attn_Op<"scalar", [Symbol, HasParent<"KernelOp">]> {
  let summary = "declares a scalar launch argument";
  let description = [{
    Of one of the element types of `attn.capture`.

    ```mlir
    attn.scalar @cap : f32
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$element_type);
  let assemblyFormat = "$sym_name `:` $element_type attr-dict";
  let hasVerifier = 1;
}

def Attn_TableOp : Attn_Op<"table", [Symbol, HasParent<"KernelOp">]> {
  let summary = "declares a compile-time table";
  let description = [{
    Dense, of one of the element types of `attn.capture` and a rank of at most 6.

    ```mlir
    attn.table @buckets = dense<[1, 2, 4, 8]> : tensor<4xi32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$value);
  let assemblyFormat = "$sym_name `=` $value attr-dict";
  let hasVerifier = 1;
}

def Attn_YieldOp : Attn_Op<"yield", [Pure, Terminator, ParentOneOf<["ScoreOp", "MaskOp"]>]> {
  let summary = "ends a score or mask region with its value";
  let description = [{
    ```mlir
    attn.yield %taken : i1
    ```
  }];
  let arguments = (ins Attn_Value:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Reading launch arguments
//===----------------------------------------------------------------------===//

def Attn_DimOp : Attn_Op<"dim", [Pure]> {
  let summary = "a run-time dimension (B, Hq, Hkv, Q, KV) or an extent that a captured tensor binds";
  let description = [{
    At least 0. A dimension is at most 2^31 - 1 (larger ones are refused at launch) and may be read as i32; an
    extent is at most 2^63 - 1.

    ```mlir
    %n = attn.dim "KV" : i64
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Attn_Int:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True for B, Hq, Hkv, Q and KV, false for an extent.
    bool isDimension();
  }];
}

def Attn_GetOp : Attn_Op<"get", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a scalar launch argument, widened to a value type";
  let description = [{
    ```mlir
    %cap = attn.get @cap : f32
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$scalar);
  let results = (outs Attn_Value:$result);
  let assemblyFormat = "$scalar attr-dict `:` type($result)";
}

def Attn_LoadOp : Attn_Op<"load", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "an element of a captured tensor or a table, widened to a value type";
  let description = [{
    One index a dimension. The op is total: with an index i into a dimension of size n,

    - `wrap` (the default, not printed): -n <= i < 0 counts from the end; what is then outside is clamped to the
      nearest valid index;
    - `clamp`: i is known to be at least 0; what is past the end is clamped;
    - `inside`: i is known to be inside at every pair inside the tensors.

    A tensor with no elements gives 0; a load from a table folds where its indices are constant. Stored floats come as f32, integers as i64 (or i32 where the stored type is
    at most 32 bits wide), `i1` as i1.

    ```mlir
    %x = attn.load @rel[inside %h, %d] : f32
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$source, Variadic<Attn_Int>:$indices,
                       DenseI32ArrayAttr:$checks);
  let results = (outs Attn_Value:$result);
  let assemblyFormat = "$source `` custom<CheckedIndices>($indices, type($indices), $checks) attr-dict `:` type($result)";
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::llvm::StringRef":$source, "::mlir::ValueRange":$indices)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::attnc::attn::IndexCheck getCheck(unsigned i) {
      return static_cast<::attnc::attn::IndexCheck>(getChecks()[i]);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Total arithmetic
//===----------------------------------------------------------------------===//

class Attn_IntBinaryOp<string mnemonic> : Attn_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins Attn_Int:$lhs, Attn_Int:$rhs);
  let results = (outs Attn_Int:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Attn_FloorDivOp : Attn_IntBinaryOp<"floordiv"> {
  let summary = "quotient rounded towards minus infinity; 0 if the divisor is 0; wraps on overflow";
  let description = [{
    A power of two as divisor becomes an arithmetic shift right.

    ```mlir
    %block = attn.floordiv %q, %size : i64
    ```
  }];
}

def Attn_FloorModOp : Attn_IntBinaryOp<"floormod"> {
  let summary = "lhs - floordiv(lhs, rhs) * rhs, with the sign of rhs; 0 if the divisor is 0";
  let description = [{
    A power of two as divisor becomes a bitwise and.

    ```mlir
    %column = attn.floormod %kv, %width : i64
    ```
  }];
}

def Attn_ToIntOp : Attn_Op<"to_int", [Pure]> {
  let summary = "float to integer: truncates, saturates to the result type, NaN gives 0";
  let description = [{
    ```mlir
    %n = attn.to_int %x : f32 to i64
    ```
  }];
  let arguments = (ins F32:$value);
  let results = (outs Attn_Int:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasFolder = 1;
}

#endif // DIALECT_ATTN_IR_ATTNOPS_TD
