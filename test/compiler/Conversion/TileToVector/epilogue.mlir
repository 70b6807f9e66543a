// RUN: attn-opt %s --convert-attn-to-tile=features=avx2,fma,f16c --convert-tile-to-vector --canonicalize --split-input-file | FileCheck %s

// The output of a row is gathered from its lane: 8, 2 and 1 columns at a time here. A row without keys is 0.
// CHECK-LABEL: llvm.func @f16_d8x11
// CHECK:         scf.while
// CHECK:         arith.divf
// CHECK:         llvm.intr.masked.gather {{.*}} -> vector<8xf32>
// CHECK:         arith.truncf {{.*}} : vector<8xf32> to vector<8xf16>
// CHECK:         llvm.intr.masked.gather {{.*}} -> vector<2xf32>
// CHECK:         llvm.intr.masked.gather {{.*}} -> vector<1xf32>

// No log-sum-exp is asked for. The steps run again if an output is not finite, once.
// CHECK-NOT:     arith.shrsi
// CHECK:         %[[NOT_FINITE:.*]] = vector.reduction <or>
// CHECK:         scf.condition
attn.kernel @f16_d8x11 dtype(f16) head_dim(8) value_dim(11) {
}

// -----

// With it, its logarithm is computed in lanes and stored where the launch has a place for it.
// CHECK-LABEL: llvm.func @lse
// CHECK:         %[[WANTED:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i64
// CHECK:         scf.if %[[WANTED]]
// CHECK:           arith.shrsi {{.*}} : vector<8xi32>
attn.kernel @lse dtype(f32) head_dim(8) value_dim(8) lse {
}
