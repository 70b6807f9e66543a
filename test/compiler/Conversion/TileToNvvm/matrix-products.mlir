// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=12000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// Scores of a block of 16 keys: a tile of q is read once for each 16 columns, and k once for its 16 keys, which makes two
// products of 8 keys each.
// CHECK-LABEL: llvm.func @bf16(
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK-NEXT:    nvvm.barrier
// CHECK:         %[[Q0:.*]] = nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK:         %[[A0:.*]] = llvm.extractvalue %[[Q0]][0]
// CHECK:         %[[A1:.*]] = llvm.extractvalue %[[Q0]][1]
// CHECK:         %[[A2:.*]] = llvm.extractvalue %[[Q0]][2]
// CHECK:         %[[A3:.*]] = llvm.extractvalue %[[Q0]][3]
// CHECK:         %[[K0:.*]] = nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK:         %[[B0:.*]] = llvm.extractvalue %[[K0]][0]
// CHECK:         %[[B1:.*]] = llvm.extractvalue %[[K0]][1]
// CHECK:         %[[B2:.*]] = llvm.extractvalue %[[K0]][2]
// CHECK:         %[[B3:.*]] = llvm.extractvalue %[[K0]][3]
// CHECK:         %[[S0:.*]] = nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B0]], %[[B1]]] C[%[[ZERO:.*]], %[[ZERO]], %[[ZERO]], %[[ZERO]]]
// CHECK-SAME:      layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK:         %[[T0:.*]] = llvm.extractvalue %[[S0]][0]
// CHECK:         nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B2]], %[[B3]]] C[%[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]]
// The next 16 columns add to that.
// CHECK:         nvvm.ldmatrix
// CHECK:         nvvm.ldmatrix
// CHECK:         nvvm.mma.sync {{.*}} C[%[[T0]],
// CHECK:         nvvm.mma.sync
// CHECK-NOT:     nvvm.ldmatrix
// CHECK:         nvvm.barrier

// Output columns are scaled by the factor of their row. Weights of two neighbouring keys are a pair of bf16, the first in the
// low half. Then the values are added, which are read transposed.
// CHECK:         %[[O0:.*]] = arith.mulf %{{.*}}, %[[UPPER:.*]] :
// CHECK:         %[[O1:.*]] = arith.mulf %{{.*}}, %[[UPPER]] :
// CHECK-COUNT-2: arith.mulf %{{.*}}, %[[UPPER]] :
// CHECK:         %[[O2:.*]] = arith.mulf %{{.*}}, %[[LOWER:.*]] :
// CHECK:         %[[O3:.*]] = arith.mulf %{{.*}}, %[[LOWER]] :
// CHECK:         %[[P0:.*]] = nvvm.convert.f32x2.to.bf16x2 %{{.*}}, %{{.*}} {rnd = #nvvm.fp_rnd_mode<rn>}
// CHECK:         %[[W0:.*]] = llvm.bitcast %[[P0]]
// CHECK:         %[[V0:.*]] = nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4
// CHECK:         %[[B0:.*]] = llvm.extractvalue %[[V0]][0]
// CHECK:         %[[B1:.*]] = llvm.extractvalue %[[V0]][1]
// CHECK:         nvvm.mma.sync A[%[[W0]], {{.*}}] B[%[[B0]], %[[B1]]] C[%[[O0]], %[[O1]], %[[O2]], %[[O3]]]
attn.kernel @bf16 dtype(bf16) head_dim(32) value_dim(16) {
}

// -----

// Head dims are padded to 16.
// CHECK-LABEL:   llvm.func @f16(
// CHECK:         scf.while
// CHECK-COUNT-4: nvvm.mma.sync {{.*}} : (vector<2xf16>, vector<2xf16>, f32)
// CHECK:         nvvm.barrier
// CHECK:         nvvm.convert.f32x2.to.f16x2
// CHECK-COUNT-2: nvvm.mma.sync
// CHECK-NOT:     nvvm.mma.sync
// CHECK:         scf.while
attn.kernel @f16 dtype(f16) head_dim(17) value_dim(5) {
}
