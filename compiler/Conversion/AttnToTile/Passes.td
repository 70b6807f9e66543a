// The conversion from the attn dialect to the tile dialect.
#ifndef COMPILER_CONVERSION_ATTNTOTILE_PASSES_TD
#define COMPILER_CONVERSION_ATTNTOTILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertAttnToTilePass : Pass<"convert-attn-to-tile", "::mlir::ModuleOp"> {
  let summary = "put each attn.kernel into a tile.kernel that computes it by online softmax";
  let description = [{
    Chooses a schedule for a CPU with the given `features`, LLVM's names of instruction set extensions separated by
    commas: 16 lanes with `avx512f,avx512bw,avx512dq,avx512vl`, 8 with `avx2,fma`, else 4; products of bf16 pairs with `avx512bf16`.
    With `shared-memory`, chooses one for a GPU whose blocks of threads can have so many bytes; `tile` overrides its sizes, and `tf32`
    puts products of f32 on tensor cores. With
    `short-grids`, each kernel NAME comes with a second one, NAME_short, whose schedule is for launches with few queries or blocks.

    Bit-exact: nothing is computed yet.
  }];
  let options = [
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "LLVM feature names of the CPU, separated by commas, as in `avx2,fma`">,
    Option<"sharedMemory", "shared-memory", "int64_t", /*default=*/"0",
           "Bytes of shared memory of a block of threads; 0 schedules for a CPU">,
    Option<"tile", "tile", "std::string", /*default=*/"\"\"",
           "Queries of a block of threads of a GPU and keys that it takes at a time, as in `128x64`">,
    Option<"shortGrids", "short-grids", "bool", /*default=*/"false",
           "Adds a kernel for short grids to each kernel for GPUs">,
    Option<"tf32", "tf32", "::attnc::tile::Tf32", /*default=*/"::attnc::tile::Tf32::None",
           "How tensor cores of a GPU multiply f32", [{::llvm::cl::values(
             clEnumValN(::attnc::tile::Tf32::None, "none", "They do not"),
             clEnumValN(::attnc::tile::Tf32::Rounded, "rounded", "Rounded to tf32"),
             clEnumValN(::attnc::tile::Tf32::Split, "split", "As sums of two tf32"))}]>
  ];
  let dependentDialects = ["::attnc::tile::TileDialect"];
}

#endif // COMPILER_CONVERSION_ATTNTOTILE_PASSES_TD
