//===- ProgramGenerator.cpp - Random programs -------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/sweep/ProgramGenerator.h"
#include <cstdio>
#include <limits>

using namespace attnc;
using namespace attnc::sweep;

static std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  std::string result = text;
  return result.find_first_of(".en") == std::string::npos ? result + ".0" : result;
}

static std::string integer(int64_t value) {
  std::string text = std::to_string(value);
  return value < 0 ? "(" + text + ")" : text;
}

GeneratedProgram ProgramGenerator::generate() {
  std::string body;
  if (random.chance(10)) {
    double scale = random.uniform(-0.5, 0.5);
    if (random.chance(50))
      declarations += "scale: f32 = " + number(scale) + "\n";
    else
      declarations += "scale: f32\n", program.scalars["scale"] = scale;
  }
  if (random.chance(70))
    body += writeScore();
  if (random.chance(80))
    body += writeMask("mask_mod");
  program.text = declarations + body;
  return program;
}

//===------------------------------------------------------------------------===//
// Declarations
//===------------------------------------------------------------------------===//

std::string ProgramGenerator::declareCapture(const std::string &type,
                                             const std::vector<std::string> &shape,
                                             Content content) {
  std::string name = "t" + std::to_string(numNames++);
  declarations += name + ": " + type + "[";
  for (size_t i = 0; i < shape.size(); ++i)
    declarations += (i ? ", " : "") + shape[i];
  declarations += "]\n";
  numDims += static_cast<int>(shape.size());
  program.captures[name] = content;
  return name;
}

std::string ProgramGenerator::declareScalar(const std::string &type, ScalarValue value) {
  std::string name = "s" + std::to_string(numNames++);
  declarations += name + ": " + type + "\n";
  program.scalars[name] = value;
  return name;
}

std::string ProgramGenerator::declareTable() {
  std::string name = "c" + std::to_string(numNames++);
  int64_t size = random.range(1, 6);
  declarations += name + ": i32[" + std::to_string(size) + "] = [";
  for (int64_t i = 0; i < size; ++i)
    declarations += (i ? ", " : "") + std::to_string(random.range(-20, 60));
  declarations += "]\n";
  return name;
}

//===------------------------------------------------------------------------===//
// Integers and bools
//===------------------------------------------------------------------------===//

std::string ProgramGenerator::makeIndex() {
  switch (random.range(0, 6)) {
  case 0:
    return makeInt(1);
  case 1:
    return "q_idx - kv_idx";
  case 2:
    return "q_idx - kv_idx + KV - 1";
  case 3:
    return "kv_idx // " + std::to_string(random.range(1, 17));
  case 4:
    return "h";
  case 5:
    return "q_idx";
  default:
    return "kv_idx";
  }
}

std::string ProgramGenerator::loadInt() {
  if (numDims > 6 || random.chance(20))
    // A constant index outside would be an error.
    return declareTable() + "[" + makeIndex() + " + b]";
  std::string type = random.pick({"i32", "i32", "i64", "i16", "i8", "u8"});
  switch (random.range(0, 4)) {
  case 0:
    return declareCapture(type, {"B", "KV"}, Content::Positions) + "[b, kv_idx]";
  case 1:
    return declareCapture(type, {"Q"}, Content::Positions) + "[q_idx]";
  case 2:
    return declareCapture(type, {}, Content::Lengths);
  case 3:
    return declareCapture(type, {"B"}, Content::Lengths) + "[b]";
  default: {
    std::string extent = "N" + std::to_string(numNames);
    return declareCapture(type, {extent}, Content::Positions) + "[" + makeIndex() + "]";
  }
  }
}

std::string ProgramGenerator::loadBool() {
  switch (random.range(0, 2)) {
  case 0:
    return declareCapture("bool", {"KV"}, Content::Coins) + "[kv_idx]";
  case 1:
    return declareCapture("bool", {"Q", "KV"}, Content::Coins) + "[q_idx, kv_idx]";
  default:
    return declareCapture("bool", {"B", "Hq", "Q"}, Content::Coins) + "[b, h, q_idx]";
  }
}

std::string ProgramGenerator::makeSmallInt() {
  return random.pick<std::string>(
      {"q_idx", "kv_idx", "h", "b", "q_idx", "kv_idx", integer(constant()), "Q", "KV", "Hq"});
}

/// An int that is no constant: one that is 0, or too large to shift by, would be an error.
std::string ProgramGenerator::makeVariable() {
  return random.pick<std::string>(
      {"h", "b", "q_idx", "kv_idx", "(kv_idx - 7)", "(b - 1)", "(q_idx - kv_idx)"});
}

std::string ProgramGenerator::makeInt(int depth) {
  if (depth <= 0)
    return makeSmallInt();
  auto sub = [&] { return makeInt(depth - 1); };
  switch (random.range(0, 21)) {
  case 0:
  case 1:
  case 2:
    return "(" + sub() + " - " + sub() + ")";
  case 3:
  case 4:
    return "(" + sub() + " + " + sub() + ")";
  case 5:
    return sub() + " * " + integer(constant());
  case 6:
    return "(" + sub() + " * " + sub() + ")";
  case 7:
  case 8:
    return "(" + sub() + " // " + integer(random.pick<int64_t>({1, 2, 3, 8, 16, 64, -4, -7})) + ")";
  case 9:
  case 10:
    return "(" + sub() + " % " + integer(random.pick<int64_t>({1, 2, 3, 8, 16, 33, -4, -7})) + ")";
  case 11:
    return "(" + sub() + random.pick({" // ", " % "}) + makeVariable() + ")";
  case 12:
    return "abs(" + sub() + ")";
  case 13:
    return random.pick({"min(", "max("}) + sub() + ", " + sub() + ")";
  case 14:
    return "clamp(" + sub() + ", " + integer(random.range(-9, 9)) + ", " +
           integer(random.range(10, 90)) + ")";
  case 15:
    return "(" + sub() + random.pick({" & ", " | ", " ^ "}) + sub() + ")";
  case 16:
    return "(" + sub() + random.pick({" << ", " >> "}) + integer(random.range(0, 9)) + ")";
  case 17:
    return "(" + sub() + random.pick({" << ", " >> "}) + makeVariable() + ")";
  case 18:
    return "(" + sub() + " if " + makeBool(depth - 1) + " else " + sub() + ")";
  case 19:
    return random.chance(50) ? "int(" + makeBool(depth - 1) + ")" : "int(" + makeExactFloat() + ")";
  case 20:
    return declareScalar(random.pick({"i32", "i64"}), random.range(-50, 200));
  default:
    return loadInt();
  }
}

std::string ProgramGenerator::makeBool(int depth) {
  auto compare = [&] {
    return "(" + makeInt(std::max(depth, 1)) +
           random.pick({" < ", " <= ", " > ", " >= ", " == ", " != "}) +
           makeInt(std::max(depth - 1, 0)) + ")";
  };
  if (depth <= 0)
    return random.chance(50) ? "(q_idx >= kv_idx)" : compare();
  switch (random.range(0, 12)) {
  case 0:
  case 1:
    return "(" + makeBool(depth - 1) + random.pick({" & ", " and "}) + makeBool(depth - 1) + ")";
  case 2:
    return "(" + makeBool(depth - 1) + random.pick({" | ", " or "}) + makeBool(depth - 1) + ")";
  case 3:
    return random.chance(50) ? "(not " + makeBool(depth - 1) + ")"
                             : "(~" + makeBool(depth - 1) + ")";
  case 4:
    return "(" + makeBool(depth - 1) + random.pick({" ^ ", " == ", " != "}) + makeBool(depth - 1) +
           ")";
  case 5:
    return "(" + integer(random.range(-20, 5)) + " <= " + makeInt(depth) + " < " +
           integer(random.range(5, 120)) + ")";
  case 6:
    return loadBool();
  case 7:
    return "(" + makeExactFloat() + random.pick({" < ", " > ", " <= ", " != "}) + makeExactFloat() +
           ")";
  case 8:
    return "where(" + makeBool(depth - 1) + ", " + makeBool(depth - 1) + ", " +
           makeBool(depth - 1) + ")";
  default:
    return compare();
  }
}

//===------------------------------------------------------------------------===//
// Floats
//===------------------------------------------------------------------------===//

std::string ProgramGenerator::loadFloat(Content content) {
  std::string type = random.pick({"f32", "f32", "f16", "bf16"});
  switch (random.range(0, 6)) {
  case 0:
    return declareCapture(type, {"Hq"}, content) + "[h]";
  case 1:
    return declareCapture(type, {"Q", "KV"}, content) + "[q_idx, kv_idx]";
  case 2:
    return declareCapture(type, {"B", "Hq", "Q", "KV"}, content) + "[b, h, q_idx][kv_idx]";
  case 3:
    return declareCapture(type, {"Hq", "Q + KV - 1"}, content) + "[h, q_idx - kv_idx + KV - 1]";
  case 4:
    return declareCapture(type, {}, content);
  case 5:
    return declareCapture(type, {"KV"}, content) + "[kv_idx]";
  default: {
    std::string extent = "N" + std::to_string(numNames);
    return declareCapture(type, {extent, "2"}, content) + "[" + makeIndex() + ", " +
           random.pick({"0", "1", "-1"}) + "]";
  }
  }
}

std::string ProgramGenerator::makeExactFloat() {
  switch (random.range(0, 6)) {
  case 0:
    return number(random.range(-40, 40) * 0.25);
  case 1:
    return numDims > 6 ? number(1) : loadFloat(Content::Bias);
  case 2:
    return declareScalar("f32", random.range(-400, 400) * 0.125);
  case 3:
    return random.pick({"floor(", "ceil(", "round(", "trunc(", "abs("}) +
           (numDims > 6 ? "q_idx * 0.25" : loadFloat(Content::Bias)) + ")";
  default:
    return "float(" + makeSmallInt() + ")";
  }
}

/// A float of the size of a bias that is computed from positions.
static std::string makeDistance(Random &random, const std::string &small) {
  switch (random.range(0, 2)) {
  case 0:
    return number(random.uniform(-0.2, 0.2)) + " * (q_idx - kv_idx)";
  case 1:
    return number(random.uniform(-1, 1)) + " * (" + small + " % 5)";
  default:
    return number(random.uniform(-0.1, 0.1)) + " * abs(kv_idx - q_idx)";
  }
}

std::string ProgramGenerator::makeSmooth(const std::string &value, int depth) {
  if (depth <= 0)
    return value;
  auto next = [&](const std::string &text) { return makeSmooth(text, depth - 1); };
  bool mayLoad = numDims <= 6;
  switch (random.range(0, 24)) {
  case 0:
  case 1:
  case 2:
    return next("(" + value + " + " + (mayLoad ? loadFloat(Content::Bias) : "0.5") + ")");
  case 3:
    return next("(" + value + " * " + (mayLoad ? loadFloat(Content::Factor) : "0.75") + ")");
  case 4:
  case 5: {
    std::string cap = random.chance(50) ? number(random.uniform(2, 30))
                                        : declareScalar("f32", random.uniform(2, 30));
    return next("(" + cap + " * tanh(" + value + " / " + cap + "))");
  }
  case 6:
  case 7:
    return next("(" + value + " + " + makeDistance(random, makeSmallInt()) + ")");
  case 8:
    return next("where(" + makeBool(1) + ", " + value + ", " + value + " * 0.5)");
  case 9:
    return "where(" + makeBool(1) + ", " + next(value) + ", -inf)";
  case 10:
    return next("(" + value + " if " + makeBool(1) + " else " + number(random.uniform(-2, 2)) +
                ")");
  case 11:
    return next("(" + value + " + sigmoid(" + value + "))");
  case 12:
    return next("(" + value + " - exp(-abs(" + value + ")))");
  case 13:
    return next("log1p(exp(min(" + value + ", 20.0)))");
  case 14:
    return next("(sin(" + value + ") + " + value + " * 0.5)");
  case 15:
    return next("sqrt(abs(" + value + ") + 1.0)");
  case 16:
    return next("(" + value + " + erf(" + value + "))");
  case 17:
    return next("(abs(" + value + ") + 0.5) ** 1.25");
  case 18:
    return next("clamp(" + value + ", -8.0, 8.0)");
  case 19:
    return next("(" + value + " + cos(" + makeDistance(random, "kv_idx") + "))");
  case 20:
    return next("(" + value + " + log2(1.0 + abs(q_idx - kv_idx)))");
  case 21:
    return next("(" + value + " * rsqrt(2.0 + h))");
  case 22:
    return next("(" + value + " + expm1(-abs(" + value + ")))");
  case 23:
    return next("(" + value + " + exp2(-0.25 * abs(kv_idx - q_idx)))");
  default:
    return next(
        random.pick<std::string>({"relu(", "max(-3.0, ", "torch.maximum(0.5 * " + value + ", "}) +
        value + ")");
  }
}

//===------------------------------------------------------------------------===//
// Entry points
//===------------------------------------------------------------------------===//

std::string ProgramGenerator::makeLibraryMask(int depth) {
  if (depth > 0 && random.chance(50)) {
    std::string a = makeLibraryMask(depth - 1), b = makeLibraryMask(depth - 1);
    switch (random.range(0, 3)) {
    case 0:
      return "or_masks(" + a + ", " + b + ")";
    case 1:
      return "not_mask(" + a + ")";
    default:
      return "and_masks(" + a + ", " + b + ")";
    }
  }
  auto size = [&](int64_t low, int64_t high) { return std::to_string(random.range(low, high)); };
  switch (random.range(0, 13)) {
  case 0:
  case 1:
    return "causal";
  case 2:
    return "causal_bottom_right";
  case 3:
    return "sliding_window(" + size(1, 80) + ")";
  case 4:
    return "prefix_lm(" + size(0, 60) + ")";
  case 5:
    return "document(" +
           (random.chance(50) ? declareCapture("i32", {"B", "max_len"}, Content::Ids)
                              : declareCapture("i64", {"max_len"}, Content::Ids)) +
           ")";
  case 6:
    return "padding(" + declareCapture("i32", {"B"}, Content::Lengths) + ")";
  case 7:
    return "dilated_window(" + size(1, 12) + ", " + size(1, 5) + ")";
  case 8:
    return "sink_window(" + size(1, 60) + ", " + size(0, 6) + ")";
  case 9:
    return "chunked(" + size(1, 50) + ")";
  case 10:
    return "block_causal(" + size(1, 50) + ")";
  case 11:
    return "neighbourhood_2d(" + size(1, 14) + ", " + size(1, 7) + ")";
  case 12:
    return "full";
  default:
    return "offset_mask(causal, " + size(0, 40) + ", " + size(0, 40) + ")";
  }
}

std::string ProgramGenerator::makeLibraryScore() {
  switch (random.range(0, 6)) {
  case 0:
    return "alibi";
  case 1:
    return "softcap(" + number(random.uniform(2, 40)) + ")";
  case 2:
    return "softcap(" + declareScalar("f32", random.uniform(2, 40)) + ")";
  case 3:
    return "temperature(" + number(random.uniform(0.5, 3)) + ")";
  case 4:
    return "relative_bias(" + declareCapture("f32", {"Hq", "Q + KV - 1"}, Content::Bias) + ")";
  case 5:
    return "bias(" + declareCapture("f32", {"Q", "KV"}, Content::Bias) + ")";
  default:
    return "bias(" + declareCapture("bf16", {"B", "Hq", "Q", "KV"}, Content::Bias) + ")";
  }
}

std::string ProgramGenerator::makeRuns(int depth) {
  auto bound = [&]() -> std::string {
    switch (random.range(0, 5)) {
    case 0:
      return declareScalar("i32", random.range(-20, 200));
    case 1:
      return declareScalar(
          "i64", random.pick<int64_t>({std::numeric_limits<int64_t>::min(),
                                       std::numeric_limits<int64_t>::max(), int64_t(1) << 61}));
    default:
      return integer(random.range(-10, 300));
    }
  };
  if (depth <= 0) {
    std::string compare = random.pick({" < ", " <= ", " > ", " >= ", " == ", " != "});
    switch (random.range(0, 7)) {
    case 0:
      return "(abs(q_idx - kv_idx)" + compare + integer(random.range(0, 90)) + ")";
    case 1:
      return "(kv_idx // 16" + compare + "q_idx // 16)";
    case 2:
      return "((q_idx - kv_idx) % " + std::to_string(random.range(2, 20)) + compare + "1)";
    case 3:
      return "(q_idx" + compare + bound() + ")";
    case 4:
      return "(q_idx - kv_idx" + compare + bound() + ")";
    case 5:
      return "(" + std::to_string(random.range(1, 3)) + " * q_idx - " +
             std::to_string(random.range(1, 3)) + " * kv_idx" + compare + bound() + ")";
    default:
      return "(kv_idx" + compare + bound() + ")";
    }
  }
  std::string lhs = makeRuns(depth - 1), rhs = makeRuns(depth - 1);
  if (random.chance(10))
    return "(not " + lhs + ")";
  return "(" + lhs + random.pick({" | ", " | ", " & "}) + rhs + ")";
}

std::string ProgramGenerator::writeMask(const std::string &name) {
  if (random.chance(35))
    return name + " = " + makeLibraryMask(2) + "\n";
  std::string head = "def " + name + "(b, h, q_idx, kv_idx):\n";
  if (random.chance(25))
    return head + "    return " + makeRuns(static_cast<int>(random.range(1, 2))) + "\n";
  switch (random.range(0, 3)) {
  case 0: {
    std::string position = makeInt(2), first = makeBool(1), second = makeBool(1);
    return head + "    d = " + position + "\n    if " + first +
           ":\n        return d >= " + integer(constant()) + "\n    return " + second + "\n";
  }
  case 1: {
    std::string first = makeBool(2), second = makeBool(2);
    return head + "    keep = " + first + "\n    keep &= " + second + "\n    return keep\n";
  }
  default:
    return head + "    return " + makeBool(3) + "\n";
  }
}

std::string ProgramGenerator::writeScore() {
  if (random.chance(25)) {
    std::string first = makeLibraryScore();
    return "score_mod = " +
           (random.chance(40) ? "compose(" + first + ", " + makeLibraryScore() + ")" : first) +
           "\n";
  }
  std::string head = "def score_mod(score, b, h, q_idx, kv_idx):\n";
  int depth = static_cast<int>(random.range(1, 4));
  if (random.chance(30)) {
    std::string condition = makeBool(1), first = makeSmooth("x", depth),
                second = makeSmooth("x", 1);
    return head + "    x = score * " + number(random.uniform(0.3, 1.2)) + "\n    if " + condition +
           ":\n        x = " + first +
           "\n    else:\n        x += " + number(random.uniform(-1, 1)) + "\n    return " + second +
           "\n";
  }
  return head + "    return " + makeSmooth("score", depth) + "\n";
}
