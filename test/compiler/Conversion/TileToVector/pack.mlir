// RUN: attn-opt %s --convert-attn-to-tile=features=avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma,f16c --convert-tile-to-vector --canonicalize --split-input-file | FileCheck %s

// f32 is used as it lies: q is gathered into lanes, k and v are not copied.
// CHECK-LABEL: llvm.func @f32_d2
// CHECK:         llvm.intr.masked.gather {{.*}} -> vector<16xf32>
// CHECK-NOT:     vector.interleave
attn.kernel @f32_d2 dtype(f32) head_dim(2) value_dim(2) {
}

// -----

// bf16 enters products in pairs: neighbouring head dims of q, with a zero beside an odd last one.
// CHECK-LABEL: llvm.func @bf16_d5x40
// CHECK:         llvm.intr.masked.gather {{.*}} -> vector<16xi32>
// CHECK:         %[[LAST:.*]] = llvm.intr.masked.gather {{.*}} -> vector<16xi16>
// CHECK:         arith.extui %[[LAST]] : vector<16xi16> to vector<16xi32>

// Neighbouring keys of v are interleaved, 32 columns and then 8 at a time. The last key of an odd block is beside zeros.
// CHECK:         %[[KEEP:.*]] = arith.extsi %{{.*}} : i1 to i16
// CHECK:         %[[KEEP32:.*]] = vector.broadcast %[[KEEP]] : i16 to vector<32xi16>
// CHECK:         %[[ODD:.*]] = arith.andi %{{.*}}, %[[KEEP32]]
// CHECK:         vector.interleave %{{.*}}, %[[ODD]] : vector<32xi16> -> vector<64xi16>
// CHECK:         vector.interleave {{.*}} : vector<8xi16> -> vector<16xi16>
attn.kernel @bf16_d5x40 dtype(bf16) head_dim(5) value_dim(40) {
}

// -----

// f16 is converted: q while it is packed, two head dims a gather, k and v once a block of keys.
// CHECK-LABEL: llvm.func @f16_d24
// CHECK:         %[[PAIR:.*]] = llvm.intr.masked.gather {{.*}} -> vector<16xi32>
// CHECK:         arith.trunci %[[PAIR]]
// CHECK:         arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK:         arith.shrui %[[PAIR]]
// CHECK:         arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK:         arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK:         arith.extf {{.*}} : vector<8xf16> to vector<8xf32>
attn.kernel @f16_d24 dtype(f16) head_dim(24) value_dim(24) {
}
