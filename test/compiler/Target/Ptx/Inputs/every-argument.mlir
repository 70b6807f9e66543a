// A kernel with every kind of launch argument, that does nothing.
module attributes {attnc.kernels = {every = "{\22captures\22:[{\22name\22:\22doc\22,\22shape\22:[\22B\22,\22KV\22],\22type\22:\22i32\22},{\22name\22:\22class\22,\22shape\22:[],\22type\22:\22bool\22}],\22checked\22:false,\22dtype\22:\22bf16\22,\22extents\22:[\22N\22,\22double\22],\22head_dim\22:64,\22lse\22:true,\22name\22:\22every\22,\22requirements\22:[],\22scalars\22:[{\22name\22:\22cap\22,\22type\22:\22f16\22},{\22name\22:\22window\22,\22type\22:\22i32\22}],\22scale\22:null,\22value_dim\22:32,\22version\22:1}"}} {
  llvm.func @every(%arguments: !llvm.ptr {llvm.byval = !llvm.array<36 x i64>, llvm.align = 8 : i64, nvvm.grid_constant})
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, attnc.query_block = 64 : i64, attnc.shared_bytes = 0 : i64} {
    llvm.return
  }
}
