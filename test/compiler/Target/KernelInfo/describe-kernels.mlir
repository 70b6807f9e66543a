// RUN: attn-opt %s --attn-describe-kernels | FileCheck %s

// Everything a caller must know: types, sizes, shapes as expressions, constant indices once each.
// CHECK: module attributes {attnc.kernels = {
// CHECK-SAME: full_bf16_d64x32 = "{\22captures\22:[
// CHECK-SAME: {\22name\22:\22rel\22,\22shape\22:[\22Hq\22,\22Q + KV - 1\22],\22type\22:\22f32\22}
// CHECK-SAME: {\22name\22:\22ids\22,\22shape\22:[\22N\22,\22(N * 2) // 3\22],\22type\22:\22u8\22}
// CHECK-SAME: {\22name\22:\22on\22,\22shape\22:[],\22type\22:\22bool\22}
// CHECK-SAME: \22checked\22:true,\22dtype\22:\22bf16\22,\22extents\22:[\22N\22],\22head_dim\22:64,\22lse\22:true
// CHECK-SAME: \22requirements\22:[{\22capture\22:\22ids\22,\22dim\22:0,\22index\22:7},{\22capture\22:\22ids\22,\22dim\22:1,\22index\22:-1}]
// CHECK-SAME: \22scalars\22:[{\22name\22:\22cap\22,\22type\22:\22f16\22}],\22scale\22:null,\22tensors\22:[{\22layout\22:\22strided\22,\22name\22:\22q\22,\22type\22:\22bf16\22},{{.*}}{\22layout\22:\22strided\22,\22name\22:\22lse\22,\22type\22:\22f32\22}],\22value_dim\22:32,\22version\22:1}"
attn.kernel @full_bf16_d64x32 dtype(bf16) head_dim(64) value_dim(32) scale_argument lse checked {
  attn.capture @rel : f32["Hq", "Q" + "KV" + -1]
  attn.capture @ids : ui8["N", (2 * "N") floordiv 3]
  attn.capture @on : i1[]
  attn.scalar @cap : f16
  attn.table @t = dense<[1, 2]> : tensor<2xi32>
  attn.score(%score, %b, %h, %q, %kv) {
    %seven = arith.constant 7 : i64
    %last = arith.constant -1 : i64
    %x = attn.load @ids[%seven, %last] : i64
    %y = attn.load @ids[%seven, %q] : i64
    %z = attn.load @t[%last] : i64
    %s = arith.addi %x, %y : i64
    %r = arith.addi %s, %z : i64
    %f = arith.sitofp %r : i64 to f32
    attn.yield %f : f32
  }
}

// The scale that a kernel fixes, and the default 1/sqrt(D).
// CHECK-SAME: plain = {{.*}}\22dtype\22:\22f32\22{{.*}}\22scale\22:0.5,
attn.kernel @plain dtype(f32) head_dim(4) value_dim(4) {
}
// CHECK-SAME: scaled = {{.*}}\22scale\22:-2,
attn.kernel @scaled dtype(f16) head_dim(4) value_dim(4) scale(-2.0) {
}
