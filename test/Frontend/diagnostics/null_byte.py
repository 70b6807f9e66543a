print("mask_mod = causal\0")
