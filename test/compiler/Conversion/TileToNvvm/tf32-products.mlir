// RUN: attn-opt %s --convert-attn-to-tile="shared-memory=30000 tile=16x16 tf32=rounded" --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s --check-prefix=ROUNDED
// RUN: attn-opt %s --convert-attn-to-tile="shared-memory=30000 tile=16x16 tf32=split" --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s --check-prefix=SPLIT
// RUN: attn-opt %s --convert-attn-to-tile="shared-memory=30000 tile=16x16" --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s --check-prefix=NONE

// NONE-LABEL: llvm.func @two_steps(
// NONE-NOT:   tf32

// Queries are rounded once, when all copies are there: chunks of four, four at a time.
// ROUNDED-LABEL: llvm.func @two_steps(
// ROUNDED:         nvvm.cp.async.wait.group 0
// ROUNDED-NEXT:    nvvm.barrier
// ROUNDED-NOT:     nvvm.barrier
// ROUNDED-COUNT-16: nvvm.convert.float.to.tf32 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
// ROUNDED:         llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// ROUNDED-NOT:     nvvm.convert.float.to.tf32
// Head dims are padded to steps of 8. Operands of q are taken as they are, those of k are rounded: two tiles of eight keys.
// ROUNDED:         scf.while
// ROUNDED:         nvvm.barrier
// ROUNDED:         %[[Q:.*]] = nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// ROUNDED:         %[[A0:.*]] = llvm.extractvalue %[[Q]][0]
// ROUNDED:         %[[A3:.*]] = llvm.extractvalue %[[Q]][3]
// ROUNDED:         %[[K:.*]] = nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// ROUNDED:         %[[K0:.*]] = llvm.extractvalue %[[K]][0]
// ROUNDED:         %[[X0:.*]] = {{(llvm|arith).bitcast}} %[[K0]] : i32 to f32
// ROUNDED:         %[[B0:.*]] = nvvm.convert.float.to.tf32 %[[X0]]
// ROUNDED-NEXT:    %[[B1:.*]] = nvvm.convert.float.to.tf32
// ROUNDED-NEXT:    %[[B2:.*]] = nvvm.convert.float.to.tf32
// ROUNDED-NEXT:    %[[B3:.*]] = nvvm.convert.float.to.tf32
// ROUNDED-NEXT:    %[[S0:.*]] = nvvm.mma.sync A[%[[A0]], %{{.*}}, %{{.*}}, %[[A3]]] B[%[[B0]], %[[B1]]] C[%[[ZERO:.*]], %[[ZERO]], %[[ZERO]], %[[ZERO]]]
// ROUNDED-SAME:      layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>
// ROUNDED:         %[[T0:.*]] = llvm.extractvalue %[[S0]][0]
// ROUNDED:         nvvm.mma.sync A[%[[A0]], %{{.*}}, %{{.*}}, %[[A3]]] B[%[[B2]], %[[B3]]] C[%[[ZERO]],
// ROUNDED:         %[[S1:.*]] = nvvm.mma.sync {{.*}} C[%[[T0]],
// ROUNDED:         %[[T1:.*]] = llvm.extractvalue %[[S1]][0]
// ROUNDED:         nvvm.mma.sync
// ROUNDED-NOT:     nvvm.mma.sync
// 0 times each score, which is not 0 after an operand that became infinite, joins what the output is multiplied by.
// ROUNDED:         nvvm.barrier
// ROUNDED:         %[[CHECK:.*]] = math.fma %[[T1]], %[[ZERO]], %[[ZERO]]
// ROUNDED:         arith.addf %{{.*}}, %{{.*}}
// Then products with the values of eight keys at a time are added: weights are rounded, and two columns of two keys are loaded.
// ROUNDED:         %[[O0:.*]] = arith.mulf
// ROUNDED:         %[[W:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// ROUNDED-COUNT-4: nvvm.convert.float.to.tf32
// ROUNDED-NOT:     nvvm.convert.float.to.tf32
// ROUNDED:         nvvm.mma.sync {{.*}} C[%[[O0]],

// Both are split: what is left is rounded, too. Products of what is left come first.
// SPLIT-LABEL:   llvm.func @two_steps(
// SPLIT:           scf.while
// SPLIT:           nvvm.ldmatrix
// SPLIT:           %[[A0:.*]] = nvvm.convert.float.to.tf32 %[[X0:.*]] {rnd
// SPLIT:           %[[Y0:.*]] = {{(llvm|arith).bitcast}} %[[A0]] : i32 to f32
// SPLIT:           %[[R0:.*]] = arith.subf %[[X0]], %[[Y0]]
// SPLIT:           %[[L0:.*]] = nvvm.convert.float.to.tf32 %[[R0]]
// SPLIT:           nvvm.ldmatrix
// SPLIT:           %[[B0:.*]] = nvvm.convert.float.to.tf32
// SPLIT:           %[[M0:.*]] = nvvm.convert.float.to.tf32
// SPLIT:           %[[S0:.*]] = nvvm.mma.sync A[%[[L0]], {{.*}} B[%[[B0]], {{.*}} C[%[[ZERO:.*]], %[[ZERO]], %[[ZERO]], %[[ZERO]]]
// SPLIT:           %[[T0:.*]] = llvm.extractvalue %[[S0]][0]
// SPLIT:           %[[S1:.*]] = nvvm.mma.sync A[%[[A0]], {{.*}} B[%[[M0]], {{.*}} C[%[[T0]],
// SPLIT:           %[[T1:.*]] = llvm.extractvalue %[[S1]][0]
// SPLIT:           nvvm.mma.sync A[%[[A0]], {{.*}} B[%[[B0]], {{.*}} C[%[[T1]],
// SPLIT:           nvvm.barrier
// The sums of a block of keys begin at 0, and are added to the scaled output.
// SPLIT:           llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// SPLIT:           nvvm.mma.sync {{.*}} C[%[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]]
// SPLIT-COUNT-11:  nvvm.mma.sync
// SPLIT-NOT:       nvvm.mma.sync
// SPLIT:           math.fma %{{.*}}, %{{.*}}, %{{.*}}
attn.kernel @two_steps dtype(f32) head_dim(9) value_dim(16) {
}

// Columns of a panel are one turn of a loop with split operands, which adds their sums to the scores; the rest follows.
// ROUNDED-LABEL: llvm.func @panels(
// SPLIT-LABEL:   llvm.func @panels(
// SPLIT:           scf.while
// SPLIT:           scf.for {{.*}} to %c2_i32 step %c1_i32 iter_args({{.*}}) -> (f32, f32, f32, f32, f32, f32, f32, f32)
// SPLIT-COUNT-24:    nvvm.mma.sync
// SPLIT-NOT:         nvvm.mma.sync
// SPLIT-COUNT-8:     arith.addf
// SPLIT:             scf.yield
// SPLIT-COUNT-6:   nvvm.mma.sync
// SPLIT-NOT:       nvvm.mma.sync
// SPLIT:           nvvm.barrier
attn.kernel @panels dtype(f32) head_dim(70) value_dim(1) {
}
