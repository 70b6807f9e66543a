"""The variants of the benchmarks in PyTorch: calls of scaled_dot_product_attention and of compiled flex_attention."""
import torch
import torch.nn.functional as F

WINDOW, CAP = 1024, 30.0


def slopes(heads, device="cpu"):
    return torch.tensor([2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)], device=device)


def flex_mods(variant, heads, device, documents):
    """(score_mod, mask_mod) for flex_attention, or None where there is no such variant."""
    table = slopes(heads, device)

    def causal(b, h, q, kv):
        return q >= kv

    def window(b, h, q, kv):
        return (q >= kv) & (q - kv < WINDOW)

    def same_document(b, h, q, kv):
        return documents[q] == documents[kv]

    def causal_document(b, h, q, kv):
        return (documents[q] == documents[kv]) & (q >= kv)

    def alibi(score, b, h, q, kv):
        return score + table[h] * (kv - q)

    def softcap(score, b, h, q, kv):
        return CAP * torch.tanh(score / CAP)

    return {"full": (None, None), "causal": (None, causal), "alibi": (alibi, None), "softcap": (softcap, None),
            "window": (None, window), "documents": (None, same_document),
            "causal-documents": (None, causal_document)}.get(variant)


def sdpa(variant, q, k, v, documents=None):
    """A call of scaled_dot_product_attention, or None where it has no such variant. What it cannot say
    otherwise it gets as a dense mask."""
    length = q.shape[2]
    if variant == "full":
        return lambda: F.scaled_dot_product_attention(q, k, v)
    if variant == "causal":
        return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)
    position = torch.arange(length, device=q.device)
    back = position[:, None] - position[None, :]
    if variant == "window":
        mask = (back >= 0) & (back < WINDOW)
    elif variant == "alibi":
        # On GPUs other types than that of q are slow.
        mask = (-back * slopes(q.shape[1], q.device)[:, None, None])[None].to(q.dtype if q.is_cuda else torch.float32)
    elif variant == "documents":
        mask = documents[:, None] == documents[None, :]
    elif variant == "causal-documents":
        mask = (documents[:, None] == documents[None, :]) & (back >= 0)
    else:
        return None
    return lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def flex(variant, q, k, v, documents=None):
    """A call of compiled flex_attention, with its block mask, or None where there is no such variant."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    torch._dynamo.reset()
    mods = flex_mods(variant, q.shape[1], q.device, documents)
    if mods is None:
        return None
    score_mod, mask_mod = mods
    block_mask = None
    if mask_mod:
        block_mask = create_block_mask(mask_mod, None, None, q.shape[2], k.shape[2], device=q.device)
    compiled = torch.compile(flex_attention)
    return lambda: compiled(q, k, v, score_mod=score_mod, block_mask=block_mask)


def prepare(make):
    """A call, once run, with its result; or the reason why there is none."""
    try:
        call = make()
        return (call, call()) if call else (None, "no such variant")
    except Exception as error:
        return None, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
