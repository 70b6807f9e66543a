#!/usr/bin/env python3
"""Times PyTorch on a GPU for gpu-bench, which starts it: a line of JSON in, a line of JSON out.

At the start it says {"torch": VERSION, "gpu": NAME}, or {"error": REASON}. Then each line is a request:
  {"variant": ..., "dtype": ..., "head_dim": ..., "heads": ..., "length": ..., "documents": [LENGTH, ...]}
      makes tensors and calls, and answers {"sdpa": null or REASON, "flex": null or REASON}
  {"milliseconds": N}
      runs each of them for about as long, and answers what one call took: {"sdpa": MILLISECONDS, ...}
"""
import json
import os
import pathlib
import sys

# Processes that get ready to compile would take time from what is measured.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

# What libraries print would stand between the answers.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def answer(value):
    print(json.dumps(value), file=answers, flush=True)


def make_calls(request, device):
    """The calls of a request by name, and the reasons of those that there are not."""
    import torch
    import torch_variants

    torch.manual_seed(0)
    dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[request["dtype"]]
    shape = 1, request["heads"], request["length"], request["head_dim"]
    q, k, v = (torch.randn(shape, device=device).to(dtype) for _ in range(3))
    lengths = torch.tensor(request["documents"] or [request["length"]], device=device)
    documents = torch.repeat_interleave(torch.arange(len(lengths), device=device), lengths)
    calls, reasons = {}, {}
    for name, make in (("sdpa", torch_variants.sdpa), ("flex", torch_variants.flex)):
        call, result = torch_variants.prepare(lambda: make(request["variant"], q, k, v, documents))
        reasons[name] = None if call else result
        if call:
            calls[name] = call
    return calls, reasons


def time_call(call, milliseconds):
    """What one call takes on the GPU, in a series that lasts about `milliseconds`."""
    import torch

    def run(count):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / count

    return run(max(1, min(1000, round(milliseconds / max(run(1), 1e-3)))))


def main():
    try:
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch finds no GPU")
        torch.set_grad_enabled(False)
        answer({"torch": torch.__version__, "gpu": torch.cuda.get_device_name(0)})
    except Exception as error:
        answer({"error": str(error)})
        return 0
    calls = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "variant" in request:
            calls = {}  # their tensors go before others come
            calls, reasons = make_calls(request, "cuda")
            answer(reasons)
        else:
            answer({name: time_call(call, request["milliseconds"]) for name, call in calls.items()})
    return 0


sys.exit(main())
