attn.kernel @alibi_bf16_d128 dtype(bf16) head_dim(128) value_dim(128) lse {
  attn.capture @slopes : f32["Hq", "N" + 1]
  attn.scalar @cap : f32
  attn.score(%score, %b, %h, %q, %kv) {
    %c0 = arith.constant 3 : i64
    %slope = attn.load @slopes[%h, %c0] : f32
    %distance = arith.subi %kv, %q : i64
    %d = arith.sitofp %distance : i64 to f32
    %bias = arith.mulf %slope, %d : f32
    %r = arith.addf %score, %bias : f32
    attn.yield %r : f32
  }
  attn.mask(%b, %h, %q, %kv) {
    %m = arith.cmpi sge, %q, %kv : i64
    attn.yield %m : i1
  }
}
