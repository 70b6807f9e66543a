"""Prints the first elements of a tensor: show.py FILE NAME"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import tensors

print(*tensors.read(sys.argv[1])[sys.argv[2]].ravel()[:8])
