// RUN: attn-opt %s -split-input-file --convert-attn-to-tile=shared-memory=12000 --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// Where blocks are classified by tables of keys, the kernel has an entry that summarizes them: a thread 32 keys, and a block of
// threads what its threads have. The kernel itself reads summaries and no tables, but for pairs.
// CHECK-LABEL: llvm.func @documents(
// CHECK-SAME:    attnc.name = "workspace"
// CHECK:         scf.while
// Empty rounds are passed over.
// CHECK:           scf.while
// CHECK:             llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> i64
// CHECK:             scf.condition
// CHECK:           nvvm.barrier
// CHECK:           nvvm.vote.sync ballot
// CHECK-LABEL: llvm.func @documents_summarize(
// CHECK-SAME:    attnc.name = "workspace"
// CHECK-SAME:    attnc.entry_of = "documents"
// CHECK-SAME:    attnc.shared_bytes = 2048
// CHECK-SAME:    attnc.summaries = {key_values = 2 : i64, per_batch = false, per_head = true, query_values = 2 : i64}
// CHECK-SAME:    nvvm.reqntid = array<i32: 256, 1, 1>
// CHECK:         scf.if
// CHECK:           %[[SUMMARY:.*]]:2 = scf.if
// CHECK:             %[[FOUND:.*]]:2 = scf.for
// CHECK:               arith.minsi
// CHECK:               arith.maxsi
// CHECK:             llvm.store %[[FOUND]]#0
// CHECK:             llvm.store %[[FOUND]]#1
// CHECK:             scf.yield %[[FOUND]]#0, %[[FOUND]]#1
// CHECK:           } else {
// CHECK:             scf.yield %c9223372036854775807_i64, %c-9223372036854775808_i64
// CHECK:           llvm.store %[[SUMMARY]]#0, %{{.*}} : i64, !llvm.ptr<3>
// CHECK:           nvvm.barrier
// CHECK:           arith.minsi
// CHECK:           nvvm.barrier
// CHECK:           llvm.store %[[SUMMARY]]#1, %{{.*}} : i64, !llvm.ptr<3>
// CHECK:           arith.maxsi
// CHECK:         } else {
// CHECK:           scf.for
// CHECK-NOT:       nvvm.barrier
// CHECK:         llvm.return
attn.kernel @documents dtype(bf16) head_dim(16) value_dim(16) {
  attn.capture @doc : i32["Hq", "KV"]
  attn.mask(%b, %h, %q, %kv) {
    %0 = attn.load @doc[clamp %h, clamp %q : i64, i64] : i32
    %1 = attn.load @doc[clamp %h, clamp %kv : i64, i64] : i32
    %2 = arith.cmpi eq, %0, %1 : i32
    attn.yield %2 : i1
  }
}

// -----

// There is none where the keys are a formula of the query's tables, or no table is read by key.
// CHECK-LABEL: llvm.func @lengths(
// CHECK-NOT:   llvm.func @lengths_summarize
attn.kernel @lengths dtype(bf16) head_dim(16) value_dim(16) {
  attn.capture @length : i32["Q"]
  attn.mask(%b, %h, %q, %kv) {
    %0 = attn.load @length[clamp %q : i64] : i32
    %1 = arith.extsi %0 : i32 to i64
    %2 = arith.cmpi slt, %kv, %1 : i64
    attn.yield %2 : i1
  }
}
