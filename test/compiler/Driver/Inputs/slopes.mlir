attn.kernel @slopes dtype(f32) head_dim(4) value_dim(4) {
  attn.capture @slopes : f32["Hq"]
  attn.score(%score, %b, %h, %q, %kv) {
    %slope = attn.load @slopes[%h] : f32
    %r = arith.addf %score, %slope : f32
    attn.yield %r : f32
  }
}
