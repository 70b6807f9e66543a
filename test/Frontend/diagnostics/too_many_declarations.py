"""Prints a program with one launch argument too many, of which some are scalars, some tensors and some tables."""

for i in range(400):
    print(f"a{i}: f32")
    print(f"t{i}: f32[N{i}]")
for i in range(225):
    print(f"u{i}: i32[1] = [{i}]")
