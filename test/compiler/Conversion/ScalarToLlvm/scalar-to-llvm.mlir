// RUN: attn-opt %s --convert-scalar-to-llvm | FileCheck %s
// RUN: attn-opt %s --convert-scalar-to-llvm | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{(arith|cf|math|ub)\.}}
// NONE-NOT: unrealized_conversion_cast

// CHECK-LABEL: llvm.func @one_op_each
llvm.func @one_op_each(%a: i32, %b: i32, %x: f32, %p: !llvm.ptr) -> i32 {
  // CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK: %[[SUM:.*]] = llvm.add %{{.*}}, %[[ONE]] : i32
  // CHECK: llvm.icmp "ult" %[[SUM]], %{{.*}} : i32
  // CHECK: llvm.fcmp "ogt" %{{.*}}, %{{.*}} : f32
  // CHECK: llvm.select %{{.*}}, %[[SUM]], %{{.*}} : i1, i32
  // CHECK: llvm.intr.fma(%{{.*}}) : (f32, f32, f32) -> f32
  // CHECK: llvm.intr.maxnum(%{{.*}}) : (f32, f32) -> f32
  // CHECK: llvm.fptrunc %{{.*}} : f32 to bf16
  // CHECK: llvm.cond_br %{{.*}}, ^[[THEN:bb.*]](%{{.*}} : i32), ^[[ELSE:bb.*]]
  // CHECK: ^[[THEN]](%{{.*}}: i32):
  // CHECK: llvm.br ^[[THEN]](%{{.*}} : i32)
  %one = arith.constant 1 : i32
  %sum = arith.addi %a, %one : i32
  %less = arith.cmpi ult, %sum, %b : i32
  %above = arith.cmpf ogt, %x, %x : f32
  %chosen = arith.select %less, %sum, %b : i32
  %fma = math.fma %x, %x, %x : f32
  %max = arith.maxnumf %fma, %x : f32
  %half = arith.truncf %max : f32 to bf16
  llvm.store %half, %p : bf16, !llvm.ptr
  cf.cond_br %above, ^then(%chosen : i32), ^else
^then(%result: i32):
  llvm.return %result : i32
^else:
  cf.br ^then(%a : i32)
}

// What has flags, several ops or several elements is not lost.
// CHECK-LABEL: llvm.func @others
llvm.func @others(%a: i32, %b: i32, %x: f32, %p: !llvm.ptr) -> i32 {
  // CHECK: llvm.udiv exact %{{.*}} : i32
  // CHECK: llvm.lshr exact %{{.*}} : i32
  // CHECK: llvm.add %{{.*}} overflow<nsw> : i32
  // CHECK: llvm.fadd %{{.*}} {fastmathFlags = #llvm.fastmath<nnan>} : f32
  // CHECK: llvm.intr.experimental.constrained.fptrunc %{{.*}} towardzero
  // CHECK: llvm.intr.exp2(%{{.*}}) : (f32) -> f32
  // CHECK: llvm.mlir.poison : i32
  // CHECK: llvm.intr.maximum(%{{.*}}) : (f32, f32) -> f32
  // CHECK: llvm.fadd %{{.*}} : vector<2xf32>
  // CHECK: llvm.cond_br %{{.*}} weights([1, 3])
  %quotient = arith.divui %a, %b exact : i32
  %shifted = arith.shrui %quotient, %b exact : i32
  %sum = arith.addi %shifted, %b overflow<nsw> : i32
  %double = arith.addf %x, %x fastmath<nnan> : f32
  %half = arith.truncf %double toward_zero : f32 to f16
  %exp = math.exp2 %x : f32
  %none = ub.poison : i32
  %max = arith.maximumf %exp, %x : f32
  %ones = llvm.load %p : !llvm.ptr -> vector<2xf32>
  %twos = arith.addf %ones, %ones : vector<2xf32>
  llvm.store %half, %p : f16, !llvm.ptr
  llvm.store %max, %p : f32, !llvm.ptr
  llvm.store %twos, %p : vector<2xf32>, !llvm.ptr
  %less = arith.cmpi slt, %sum, %none : i32
  cf.cond_br %less weights([1, 3]), ^then, ^else
^then:
  llvm.return %a : i32
^else:
  llvm.return %b : i32
}
