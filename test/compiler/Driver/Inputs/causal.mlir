attn.kernel @causal dtype(bf16) head_dim(128) value_dim(128) {
  attn.capture @slopes : f32["Hq"]
  attn.score(%score, %b, %h, %q, %kv) {
    %slope = attn.load @slopes[%h] : f32
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
