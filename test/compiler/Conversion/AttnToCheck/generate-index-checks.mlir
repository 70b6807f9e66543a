// RUN: attn-opt %s --convert-attn-to-tile --generate-index-checks | FileCheck %s

// Only loads that may be outside are checked, and only what their indices need is computed.
// CHECK-LABEL: llvm.func @checked_check(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr) -> i64
// CHECK: scf.while
// CHECK-NOT: scf.for
// CHECK: arith.cmpi slt
// CHECK: llvm.return
attn.kernel @checked dtype(f32) head_dim(8) value_dim(8) checked {
  attn.capture @t : f32["N"]
  attn.score(%score, %b, %h, %q, %kv) {
    %x = attn.load @t[%q] : f32
    %y = attn.load @t[inside %kv] : f32
    %z = arith.addf %x, %y : f32
    %r = arith.addf %score, %z : f32
    attn.yield %r : f32
  }
}

// CHECK-NOT: @plain_check
attn.kernel @plain dtype(f32) head_dim(8) value_dim(8) {
}
