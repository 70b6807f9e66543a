print("size = " + "9" * 1001)
