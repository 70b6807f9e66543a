// A kernel that copies q to o, through shared memory: a thread a row, 32 rows a block.
module attributes {attnc.kernels = {copy = "{\22captures\22:[],\22checked\22:false,\22dtype\22:\22f32\22,\22extents\22:[],\22head_dim\22:4,\22lse\22:false,\22name\22:\22copy\22,\22requirements\22:[],\22scalars\22:[],\22scale\22:0.5,\22value_dim\22:4,\22version\22:1}"}} {
  llvm.mlir.global external @attnc_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
  llvm.func @copy(%arguments: !llvm.ptr {llvm.byval = !llvm.array<26 x i64>, llvm.align = 8 : i64, nvvm.grid_constant})
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, attnc.query_block = 32 : i64, attnc.shared_bytes = 512 : i64} {
    %thread = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %block = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.ctaid.x"() : () -> i32
    %c5 = llvm.mlir.constant(5 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i64) : i64
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c5_64 = llvm.mlir.constant(5 : i64) : i64
    // Batch, head and row.
    %pHq = llvm.getelementptr %arguments[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %Hq = llvm.load %pHq : !llvm.ptr -> i64
    %pQ = llvm.getelementptr %arguments[3] : (!llvm.ptr) -> !llvm.ptr, i64
    %Q = llvm.load %pQ : !llvm.ptr -> i64
    %up = llvm.add %Q, %c31 : i64
    %blocks = llvm.lshr %up, %c5_64 : i64
    %b64 = llvm.zext %block : i32 to i64
    %t64 = llvm.zext %thread : i32 to i64
    %heads = llvm.udiv %b64, %blocks : i64
    %part = llvm.urem %b64, %blocks : i64
    %b = llvm.udiv %heads, %Hq : i64
    %h = llvm.urem %heads, %Hq : i64
    %first = llvm.shl %part, %c5_64 : i64
    %row = llvm.add %first, %t64 : i64
    %inside = llvm.icmp "ult" %row, %Q : i64
    %base = llvm.mlir.addressof @attnc_shared : !llvm.ptr<3>
    %slot = llvm.mul %thread, %c4 : i32
    %cell = llvm.getelementptr %base[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.cond_br %inside, ^read, ^wait
  ^read:
    %pq = llvm.getelementptr %arguments[6] : (!llvm.ptr) -> !llvm.ptr, i64
    %q = llvm.load %pq : !llvm.ptr -> !llvm.ptr<1>
    %qb = llvm.getelementptr %arguments[7] : (!llvm.ptr) -> !llvm.ptr, i64
    %qbs = llvm.load %qb : !llvm.ptr -> i64
    %qh = llvm.getelementptr %arguments[8] : (!llvm.ptr) -> !llvm.ptr, i64
    %qhs = llvm.load %qh : !llvm.ptr -> i64
    %qr = llvm.getelementptr %arguments[9] : (!llvm.ptr) -> !llvm.ptr, i64
    %qrs = llvm.load %qr : !llvm.ptr -> i64
    %q1 = llvm.mul %b, %qbs : i64
    %q2 = llvm.mul %h, %qhs : i64
    %q3 = llvm.mul %row, %qrs : i64
    %q4 = llvm.add %q1, %q2 : i64
    %q5 = llvm.add %q4, %q3 : i64
    %qrow = llvm.getelementptr %q[%q5] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %qrow {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xf32>
    llvm.store %x, %cell {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
    llvm.br ^wait
  ^wait:
    llvm.inline_asm has_side_effects "bar.warp.sync 0xffffffff;", "" : () -> ()
    llvm.cond_br %inside, ^write, ^done
  ^write:
    %po = llvm.getelementptr %arguments[18] : (!llvm.ptr) -> !llvm.ptr, i64
    %o = llvm.load %po : !llvm.ptr -> !llvm.ptr<1>
    %ob = llvm.getelementptr %arguments[19] : (!llvm.ptr) -> !llvm.ptr, i64
    %obs = llvm.load %ob : !llvm.ptr -> i64
    %oh = llvm.getelementptr %arguments[20] : (!llvm.ptr) -> !llvm.ptr, i64
    %ohs = llvm.load %oh : !llvm.ptr -> i64
    %or = llvm.getelementptr %arguments[21] : (!llvm.ptr) -> !llvm.ptr, i64
    %ors = llvm.load %or : !llvm.ptr -> i64
    %o1 = llvm.mul %b, %obs : i64
    %o2 = llvm.mul %h, %ohs : i64
    %o3 = llvm.mul %row, %ors : i64
    %o4 = llvm.add %o1, %o2 : i64
    %o5 = llvm.add %o4, %o3 : i64
    %orow = llvm.getelementptr %o[%o5] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %y = llvm.load %cell {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
    llvm.store %y, %orow {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr<1>
    llvm.br ^done
  ^done:
    llvm.return
  }
}
