// Two kernels, of which the first has entries for short grids, and functions that entries call.
module attributes {attnc.kernels = {
    first = "{\22captures\22:[],\22checked\22:false,\22dtype\22:\22f32\22,\22extents\22:[],\22head_dim\22:4,\22lse\22:false,\22name\22:\22first\22,\22requirements\22:[],\22scalars\22:[],\22scale\22:0.5,\22value_dim\22:4,\22version\22:1}",
    second = "{\22captures\22:[],\22checked\22:false,\22dtype\22:\22f32\22,\22extents\22:[],\22head_dim\22:4,\22lse\22:false,\22name\22:\22second\22,\22requirements\22:[],\22scalars\22:[],\22scale\22:0.5,\22value_dim\22:4,\22version\22:1}"}} {
  llvm.mlir.global external @attnc_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func internal @store_second(%value: i32) attributes {no_inline} {
    %base = llvm.mlir.addressof @attnc_shared : !llvm.ptr<3>
    llvm.store %value, %base : i32, !llvm.ptr<3>
    llvm.return loc("parts.attn":9:1)
  } loc("parts.attn":9:1)
  llvm.func internal @store_short(%value: i32) attributes {no_inline} {
    %base = llvm.mlir.addressof @attnc_shared : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %some = llvm.icmp "ne" %value, %zero : i32
    llvm.cond_br %some, ^store, ^done
  ^store:
    llvm.store volatile %value, %base : i32, !llvm.ptr<3>
    llvm.br ^done
  ^done:
    llvm.return loc("library.attn":3:1)
  } loc("library.attn":3:1)
  llvm.func @first(%arguments: !llvm.ptr {llvm.byval = !llvm.array<26 x i64>, llvm.align = 8 : i64, nvvm.grid_constant})
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, attnc.query_block = 32 : i64, attnc.shared_bytes = 512 : i64} {
    %thread = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %base = llvm.mlir.addressof @attnc_shared : !llvm.ptr<3>
    llvm.store %thread, %base : i32, !llvm.ptr<3> loc("parts.attn":4:2)
    llvm.return loc("parts.attn":4:2)
  } loc("parts.attn":1:1)
  llvm.func @first_short(%arguments: !llvm.ptr {llvm.byval = !llvm.array<26 x i64>, llvm.align = 8 : i64, nvvm.grid_constant})
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, attnc.query_block = 16 : i64, attnc.shared_bytes = 256 : i64, attnc.entry_of = "first"} {
    %thread = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
    llvm.call @store_short(%thread) : (i32) -> () loc("parts.attn":5:2)
    llvm.return loc("parts.attn":5:2)
  } loc("parts.attn":1:1)
  llvm.func @first_combine(%arguments: !llvm.ptr {llvm.byval = !llvm.array<26 x i64>, llvm.align = 8 : i64, nvvm.grid_constant})
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, attnc.query_block = 1 : i64, attnc.shared_bytes = 128 : i64, attnc.entry_of = "first"} {
    llvm.return loc("parts.attn":6:2)
  } loc("parts.attn":1:1)
  llvm.func @second(%arguments: !llvm.ptr {llvm.byval = !llvm.array<26 x i64>, llvm.align = 8 : i64, nvvm.grid_constant})
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, attnc.query_block = 32 : i64, attnc.shared_bytes = 512 : i64} {
    %thread = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
    llvm.call @store_second(%thread) : (i32) -> () loc("parts.attn":7:2)
    llvm.return loc("parts.attn":7:2)
  } loc("parts.attn":1:1)
}
