"""Binary floating point on exact fractions: what IEEE 754 and PTX ask for, written without the machine's floats."""
import math
from fractions import Fraction


class Format:
    def __init__(self, name, exponent_bits, precision, nan):
        self.name, self.exponent_bits, self.precision, self.nan = name, exponent_bits, precision, nan
        self.bits = exponent_bits + precision
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.sign = 1 << (self.bits - 1)
        self.infinity = ((1 << exponent_bits) - 1) << (precision - 1)
        self.largest = self.infinity - 1

    def is_nan(self, bits):
        return bits & (self.sign - 1) > self.infinity

    def is_inf(self, bits):
        return bits & (self.sign - 1) == self.infinity

    def is_negative(self, bits):
        return bool(bits & self.sign)

    def is_subnormal(self, bits):
        return 0 < bits & (self.sign - 1) < 1 << (self.precision - 1)

    def flush(self, bits):
        return bits & self.sign if self.is_subnormal(bits) else bits

    def value(self, bits):
        """A finite value as a fraction (the sign of zero is lost)."""
        exponent = (bits & (self.sign - 1)) >> (self.precision - 1)
        mantissa = bits & ((1 << (self.precision - 1)) - 1)
        if exponent:
            mantissa |= 1 << (self.precision - 1)
        scale = max(exponent, 1) - self.bias - (self.precision - 1)
        result = Fraction(mantissa) * Fraction(2) ** scale
        return -result if bits & self.sign else result

    def round(self, exact, mode="rn", zero_sign=0):
        """The bits of a fraction. zero_sign: sign of an exact zero."""
        if exact == 0:
            return self.sign if zero_sign else 0
        sign = exact < 0
        magnitude = abs(exact)
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if Fraction(2) ** exponent > magnitude:
            exponent -= 1
        unit = max(exponent, 1 - self.bias) - (self.precision - 1)
        scaled = magnitude / Fraction(2) ** unit
        whole = scaled.numerator // scaled.denominator
        rest = scaled - whole
        up = {"rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1),
              "rna": rest >= Fraction(1, 2), "rz": False,
              "rm": rest > 0 and sign, "rp": rest > 0 and not sign}[mode]
        whole += bool(up)
        if whole >= 1 << self.precision:
            whole >>= 1
            unit += 1
        if whole < 1 << (self.precision - 1):
            bits = whole
        else:
            field = unit + self.precision - 1 + self.bias
            if field >= (1 << self.exponent_bits) - 1:
                away = mode in ("rn", "rna") or (mode == "rp" and not sign) or (mode == "rm" and sign)
                bits = self.infinity if away else self.largest
            else:
                bits = (field << (self.precision - 1)) + whole - (1 << (self.precision - 1))
        return bits | (self.sign if sign else 0)


F32 = Format("f32", 8, 24, 0x7FFFFFFF)
F64 = Format("f64", 11, 53, 0x7FF8000000000000)
F16 = Format("f16", 5, 11, 0x7FFF)
BF16 = Format("bf16", 8, 8, 0x7FFF)
TF32 = Format("tf32", 8, 11, 0x7FFFFFFF)


def arithmetic(form, operation, operands, mode="rn", ftz=False, sat=False, relu=False):
    """Bits of a + b, a - b, a * b, a * b + c, a / b or sqrt(a); NaN is the format's NaN."""
    if ftz:
        operands = [form.flush(x) for x in operands]
    bits = compute(form, operation, operands, mode)
    if sat:
        if form.is_nan(bits) or form.is_negative(bits):
            bits = 0
        elif form.is_inf(bits) or form.value(bits) > 1:
            bits = form.round(Fraction(1))
    if relu and not form.is_nan(bits) and form.is_negative(bits):
        bits = 0
    return form.flush(bits) if ftz else bits


def compute(form, operation, operands, mode):
    if any(form.is_nan(x) for x in operands):
        return form.nan
    negative = [form.is_negative(x) for x in operands]
    infinite = [form.is_inf(x) for x in operands]
    zero = [x & (form.sign - 1) == 0 for x in operands]
    down = mode == "rm"
    if operation == "sub":
        return compute(form, "add", [operands[0], operands[1] ^ form.sign], mode)
    if operation in ("mul", "fma"):
        sign = negative[0] ^ negative[1]
        if (infinite[0] and zero[1]) or (zero[0] and infinite[1]):
            return form.nan
        product_infinite = infinite[0] or infinite[1]
        if operation == "mul":
            if product_infinite:
                return form.infinity | (form.sign if sign else 0)
            return form.round(form.value(operands[0]) * form.value(operands[1]), mode, sign)
        if product_infinite and infinite[2]:
            return form.nan if sign != negative[2] else form.infinity | (form.sign if sign else 0)
        if product_infinite:
            return form.infinity | (form.sign if sign else 0)
        if infinite[2]:
            return operands[2]
        exact = form.value(operands[0]) * form.value(operands[1]) + form.value(operands[2])
        product_zero = zero[0] or zero[1]
        zero_sign = sign if product_zero and zero[2] and sign == negative[2] else down
        return form.round(exact, mode, zero_sign)
    if operation == "add":
        if infinite[0] and infinite[1]:
            return form.nan if negative[0] != negative[1] else operands[0]
        if infinite[0] or infinite[1]:
            return operands[0] if infinite[0] else operands[1]
        same = zero[0] and zero[1] and negative[0] == negative[1]
        return form.round(form.value(operands[0]) + form.value(operands[1]), mode, negative[0] if same else down)
    if operation == "div":
        sign = negative[0] ^ negative[1]
        signed = form.sign if sign else 0
        if (infinite[0] and infinite[1]) or (zero[0] and zero[1]):
            return form.nan
        if infinite[0] or zero[1]:
            return form.infinity | signed
        if infinite[1] or zero[0]:
            return signed
        return form.round(form.value(operands[0]) / form.value(operands[1]), mode)
    if operation == "sqrt":
        if zero[0]:
            return operands[0]
        if negative[0]:
            return form.nan
        if infinite[0]:
            return operands[0]
        return form.round(square_root(form.value(operands[0])), mode)
    raise ValueError(operation)


def square_root(value):
    """The root, or a fraction that rounds in the same way in any mode and format used here."""
    shift = 240
    scaled = value * Fraction(4) ** shift
    assert scaled.denominator == 1 or value < 1
    while scaled.denominator != 1:
        shift += 400
        scaled = value * Fraction(4) ** shift
    root = math.isqrt(scaled.numerator)
    exact = Fraction(root) if root * root == scaled.numerator else Fraction(2 * root + 1, 2)
    return exact / Fraction(2) ** shift


def to_integer(form, bits, mode, width, signed):
    """Float to integer: clamps; NaN is 0 or, for f64 and 64-bit results, the top bit."""
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if form.is_nan(bits):
        return 1 << (width - 1) if form is F64 or width == 64 else 0
    if form.is_inf(bits):
        value = low if form.is_negative(bits) else high
    else:
        exact = form.value(bits)
        value = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}[mode](exact)
    return min(max(value, low), high) % (1 << width)


def convert(source, target, bits, mode="rn"):
    """Between formats, one rounding."""
    if source.is_nan(bits):
        return target.nan
    if source.is_inf(bits):
        return target.infinity | (target.sign if source.is_negative(bits) else 0)
    return target.round(source.value(bits), mode, source.is_negative(bits))
