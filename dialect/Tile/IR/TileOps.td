// Operations of the tile dialect.
#ifndef DIALECT_TILE_IR_TILEOPS_TD
#define DIALECT_TILE_IR_TILEOPS_TD

include "dialect/Tile/IR/TileDialect.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<TileDialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Kernel and loops
//===----------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [
    IsolatedFromAbove, Symbol, SymbolTable, SingleBlock, NoTerminator, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "computes an attn.kernel, one block of queries of one batch and head a call";
  let description = [{
    The kernel has a `schedule` for CPUs or a `warp_schedule` for GPUs. The body's argument is the block's queries. Its first op is the `attn.kernel` that is computed, of the same name; the steps
    follow, the last of them `tile.epilogue`.

    ```mlir
    tile.kernel @plain_f32_d64 schedule(<query_block = 256, query_tile = 32, key_block = 96, row_tile = 8, lanes = 16>) queries(%block) {
      attn.kernel @plain_f32_d64 dtype(f32) head_dim(64) value_dim(64) {
      }
      %q = tile.load_queries %block
      ...
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<Tile_Schedule>:$schedule,
                       OptionalAttr<Tile_WarpSchedule>:$warp_schedule);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`schedule` `(` $schedule^ `)`)? (`warp_schedule` `(` $warp_schedule^ `)`)? attr-dict-with-keyword
    custom<KernelBody>($body)
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// What is computed.
    ::attnc::attn::KernelOp getAttnKernel();
    /// The queries of one call.
    ::mlir::Value getBlockRange() { return getBody().getArgument(0); }
  }];
}

def Tile_ForKeysOp : Tile_Op<"for_keys", [
    SingleBlock, NoTerminator, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "runs its body for each block of keys that the queries may attend to, in ascending order";
  let description = [{
    Blocks outside the mask's key bounds of `queries`, and blocks for which the mask is known to exclude every pair, may be left out.
  }];
  let arguments = (ins Tile_Range:$queries);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`` custom<KeyLoop>($queries, $body) attr-dict";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getKeyRange() { return getBody().getArgument(0); }
  }];
}

def Tile_ForQueriesOp : Tile_Op<"for_queries", [
    NoTerminator, HasParent<"ForKeysOp">, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "runs a body for each sub-tile of queries against a block of keys";
  let description = [{
    `full` runs where every pair of the sub-tile and the block takes part, `partial` where that is not known. A sub-tile that
    has no pair with the block may be left out. Both bodies have one argument, the queries of the sub-tile.
  }];
  let arguments = (ins Tile_Range:$queries, Tile_Range:$keys);
  let regions = (region SizedRegion<1>:$full, SizedRegion<1>:$partial);
  let assemblyFormat = "custom<QueryLoop>($queries, $keys, $full, $partial) attr-dict";
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

def Tile_LoadQueriesOp : Tile_Op<"load_queries", [HasParent<"KernelOp">]> {
  let summary = "brings the rows of q of a block of queries into the layout of tile.dot";
  let arguments = (ins Tile_Range:$range);
  let results = (outs Tile_Queries:$result);
  let assemblyFormat = "$range attr-dict";
}

def Tile_LoadKeysOp : Tile_Op<"load_keys", [HasParent<"ForKeysOp">]> {
  let summary = "brings the rows of k of a block of keys into the layout of tile.dot";
  let arguments = (ins Tile_Range:$range);
  let results = (outs Tile_Keys:$result);
  let assemblyFormat = "$range attr-dict";
}

def Tile_LoadValuesOp : Tile_Op<"load_values", [HasParent<"ForKeysOp">]> {
  let summary = "brings the rows of v of a block of keys into the layout of tile.dot_acc";
  let arguments = (ins Tile_Range:$range);
  let results = (outs Tile_Values:$result);
  let assemblyFormat = "$range attr-dict";
}

//===----------------------------------------------------------------------===//
// One sub-tile
//===----------------------------------------------------------------------===//

def Tile_InitStateOp : Tile_Op<"init_state", [HasParent<"KernelOp">]> {
  let summary = "the state of queries that have seen no key: maximum -inf, sum 0, output 0";
  let arguments = (ins Tile_Range:$range);
  let results = (outs Tile_State:$result);
  let assemblyFormat = "$range attr-dict";
}

def Tile_DotOp : Tile_Op<"dot", [HasParent<"ForQueriesOp">]> {
  let summary = "scale * q . k for each pair, accumulated in f32";
  let arguments = (ins Tile_Queries:$queries, Tile_Range:$rows, Tile_Keys:$keys);
  let results = (outs Tile_Scores:$result);
  let assemblyFormat = "$queries `[` $rows `]` `,` $keys attr-dict";
  let hasVerifier = 1;
}

class Tile_PairsOp<string mnemonic> : Tile_Op<mnemonic, [HasParent<"ForQueriesOp">]> {
  let arguments = (ins Tile_Scores:$scores, Tile_Range:$rows, Tile_Range:$keys);
  let results = (outs Tile_Scores:$result);
  let assemblyFormat = "$scores `[` $rows `,` $keys `]` attr-dict";
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_PairsOp<"map"> {
  let summary = "changes each score by the kernel's score body";
}

def Tile_MaskOp : Tile_PairsOp<"mask"> {
  let summary = "makes the score -inf at pairs that the kernel's mask body excludes, and at keys past the last";
}

def Tile_SoftmaxStepOp : Tile_Op<"softmax_step", [HasParent<"ForQueriesOp">]> {
  let summary = "takes scores into maximum and sum of the state and gives their weights";
  let description = [{
    With m' = max(m, scores) and 0 in place of m' where that is -inf: weights = exp(scores - m'), factor = exp(m - m'),
    l' = l * factor + sum of weights. NaN does not enter the maximum; the weight of a NaN score is NaN.
  }];
  let arguments = (ins Tile_Scores:$scores, Tile_State:$state, Tile_Range:$rows);
  let results = (outs Tile_Weights:$result);
  let assemblyFormat = "$scores `,` $state `[` $rows `]` attr-dict";
  let hasVerifier = 1;
}

def Tile_DotAccOp : Tile_Op<"dot_acc", [HasParent<"ForQueriesOp">]> {
  let summary = "output = output * factor + weights . v, accumulated in f32";
  let description = [{
    A pair whose score was -inf does not touch v: not even NaN or inf there shows. Weights may be rounded to the type of v.
  }];
  let arguments = (ins Tile_Weights:$weights, Tile_Values:$values, Tile_State:$state, Tile_Range:$rows);
  let assemblyFormat = "$weights `,` $values `,` $state `[` $rows `]` attr-dict";
}

def Tile_EpilogueOp : Tile_Op<"epilogue", [HasParent<"KernelOp">]> {
  let summary = "stores output / sum, rounded to the kernel's type, and maximum + log(sum) where the kernel gives it";
  let description = [{ Where the sum is 0 the output is 0 and the log-sum-exp is -inf. }];
  let arguments = (ins Tile_State:$state, Tile_Range:$rows);
  let assemblyFormat = "$state `[` $rows `]` attr-dict";
}

#endif // DIALECT_TILE_IR_TILEOPS_TD
