// The tile dialect, its types and its schedule attribute. Ops are in TileOps.td.
#ifndef DIALECT_TILE_IR_TILEDIALECT_TD
#define DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def TileDialect : Dialect {
  let name = "tile";
  let cppNamespace = "::attnc::tile";
  let summary = "How one block of queries of an attention kernel is computed";
  let description = [{
    A `tile.kernel` holds the `attn.kernel` that it computes and the steps of online softmax over blocks of keys.
    The steps are the same for every target. Sizes come from a schedule attribute that is chosen per target, and
    a target's lowering decides where tiles live. `docs/rationale/tile.md` gives the reasons.

    A tile value names a place that its one user takes over; only `!tile.state` is updated in place.
  }];
  let dependentDialects = ["::attnc::attn::AttnDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Tile_Type<string name, string text> : TypeDef<TileDialect, name> {
  let mnemonic = text;
}

def Tile_Range : Tile_Type<"Range", "range"> {
  let summary = "a run of consecutive queries or keys";
}
def Tile_Queries : Tile_Type<"Queries", "queries"> {
  let summary = "the rows of q of a block of queries, laid out for tile.dot";
}
def Tile_Keys : Tile_Type<"Keys", "keys"> {
  let summary = "the rows of k of a block of keys, laid out for tile.dot";
}
def Tile_Values : Tile_Type<"Values", "values"> {
  let summary = "the rows of v of a block of keys, laid out for tile.dot_acc";
}
def Tile_Scores : Tile_Type<"Scores", "scores"> {
  let summary = "the scores of a sub-tile of queries against a block of keys, f32";
}
def Tile_Weights : Tile_Type<"Weights", "weights"> {
  let summary = "the unnormalised weights exp(score - maximum) of a sub-tile and the factor for what came before";
}
def Tile_State : Tile_Type<"State", "state"> {
  let summary = "maximum, sum and unnormalised output of a block of queries, f32";
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

def Tile_Features : I32BitEnumAttr<"Features", "instructions that a lowering may use", [
    I32BitEnumAttrCaseNone<"None", "none">,
    I32BitEnumAttrCaseBit<"Fma", 0, "fma">,
    I32BitEnumAttrCaseBit<"Rounding", 1, "rounding">,
    I32BitEnumAttrCaseBit<"F16Convert", 2, "f16_convert">,
    I32BitEnumAttrCaseBit<"ReduceScale", 3, "reduce_scale">,
    I32BitEnumAttrCaseBit<"Bf16Dot", 4, "bf16_dot">]> {
  let cppNamespace = "::attnc::tile";
  let separator = "|";
  let genSpecializedAttr = 0;
}

def Tile_Schedule : AttrDef<TileDialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "the sizes that a kernel is built with";
  let description = [{
    `query_block` queries are one call of the kernel; they are computed in sub-tiles of `query_tile` queries against
    blocks of `key_block` keys. Inner products accumulate `row_tile` rows (keys, or columns of v) of `query_tile` queries in
    registers, each register holding `lanes` queries. `features` are instructions of the target beyond its lanes: fused multiply-add, rounding
    of f32 to integers, f16 from and to f32, AVX-512's reduction and scaling by powers of two, products of pairs of bf16.
  }];
  let parameters = (ins
    "int64_t":$query_block, "int64_t":$query_tile, "int64_t":$key_block, "int64_t":$row_tile,
    "int64_t":$lanes, DefaultValuedParameter<"Features", "Features::None">:$features);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool has(Features feature) const { return bitEnumContainsAny(getFeatures(), feature); }
  }];
}

def Tile_Tf32 : I32EnumAttr<"Tf32", "how tensor cores multiply f32", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Rounded", 1, "rounded">,
    I32EnumAttrCase<"Split", 2, "split">]> {
  let cppNamespace = "::attnc::tile";
  let genSpecializedAttr = 0;
}

def Tile_WarpSchedule : AttrDef<TileDialect, "WarpSchedule"> {
  let mnemonic = "warp_schedule";
  let summary = "the sizes that a kernel for GPUs is built with";
  let description = [{
    A block of threads computes `query_block` queries against blocks of `key_block` keys, or of `masked_key_block` keys where
    pairs may be excluded; each of its warps has `warp_rows` of the queries. `tensor_cores`: products by mma.sync on pairs of f16 or bf16, else by fused multiply-add in f32.
    With `tf32`, those of f32 are by mma.sync too: of operands `rounded` to tf32, or `split` into two tf32 each, of which three products are added.
    `rolled`: a loop over the keys of a thread computes the bodies, else they are unrolled.

    `short_grid`: for launches with few queries or blocks. Rows of a block are pairs of a query and a head of one group, blocks of
    keys may be shared out to several blocks of threads, and all of them are masked ones.
  }];
  let parameters = (ins
    "int64_t":$query_block, "int64_t":$warp_rows, "int64_t":$key_block,
    "int64_t":$masked_key_block, "bool":$tensor_cores, DefaultValuedParameter<"bool", "false">:$short_grid,
    DefaultValuedParameter<"bool", "false">:$rolled, DefaultValuedParameter<"Tf32", "Tf32::None">:$tf32);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getNumWarps() const { return getQueryBlock() / getWarpRows(); }
    int64_t getNumThreads() const { return 32 * getNumWarps(); }
    /// The masked blocks in a block of keys.
    int64_t getMaskedBlocks() const { return getKeyBlock() / getMaskedKeyBlock(); }
  }];
}

#endif // DIALECT_TILE_IR_TILEDIALECT_TD
