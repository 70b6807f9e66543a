print("def mask_mod(b, h, q_idx, kv_idx):")
for depth in range(1, 102):
    print(" " * depth + "if q_idx > kv_idx:")
print(" " * 102 + "return True")
print(" return False")
