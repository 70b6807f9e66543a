print("def again(f):")
print("    return lambda: " + "-" * 150 + "again(f)()")
print()
print("x = again(full)()")
