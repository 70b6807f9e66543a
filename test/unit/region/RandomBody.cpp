//===- RandomBody.cpp - Random bodies of masks and scores -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/region/RandomBody.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace attnc;
using namespace attnc::test;

static const char *const declarations = R"mlir(
  attn.capture @qd : i32["B", "Q"]
  attn.capture @kd : i16["B", "KV"]
  attn.capture @km : ui8["KV"]
  attn.capture @far : i64["KV"]
  attn.capture @qf : i1["Q"]
  attn.capture @kf : i1["B", "KV"]
  attn.capture @pair : i1["Q", "KV"]
  attn.capture @len : i32["B"]
  attn.capture @win : i8["Hq"]
  attn.capture @any : i32["N"]
  attn.capture @now : i32[]
  attn.capture @half : f16["KV"]
  attn.capture @brain : bf16["Q"]
  attn.capture @bias : f32["N", "KV"]
  attn.scalar @n : i32
  attn.scalar @big : i64
  attn.scalar @on : i1
  attn.scalar @cap : f32
  attn.table @five = dense<[3, -1, 0, 7, 2]> : tensor<5xi8>
  attn.table @flags = dense<[true, false, true]> : tensor<3xi1>
  attn.table @none = dense<> : tensor<0xi32>
  attn.table @steps = dense<[0.5, -2.0, 1.0e3]> : tensor<3xf16>
)mlir";

//===------------------------------------------------------------------------===//
// Numbers
//===------------------------------------------------------------------------===//

int64_t RandomBody::number() {
  switch (below(12)) {
  case 0:
    return -below(40) - 1;
  case 1:
    return (below(2000) - 1000) * 1000003;
  case 2:
    return (oneIn(2) ? 1 : -1) * (int64_t(1) << below(63));
  case 3:
    return oneIn(2) ? std::numeric_limits<int64_t>::min() + below(4)
                    : std::numeric_limits<int64_t>::max() - below(4);
  default:
    return below(24);
  }
}

int64_t RandomBody::element(int64_t wildness) {
  if (below(8) < wildness)
    return number();
  return below(24) - 4;
}

//===------------------------------------------------------------------------===//
// Expressions
//===------------------------------------------------------------------------===//

std::string RandomBody::emit(const std::string &op) {
  std::string name = "%v" + std::to_string(next++);
  text += "    " + name + " = " + op + "\n";
  return name;
}

std::string RandomBody::constant(int64_t value) {
  return emit("arith.constant " + std::to_string(value) + " : i64");
}

std::string RandomBody::integerLeaf() {
  switch (below(16)) {
  case 0:
    return "%h";
  case 1:
    return "%b";
  case 2:
    return emit(std::string("attn.dim \"") + (oneIn(3) ? "N" : oneIn(2) ? "Q" : "KV") + "\" : i64");
  case 3:
    return emit("attn.get @n : i64");
  case 4:
    return oneIn(3) ? emit("attn.get @big : i64") : emit("attn.load @now[] : i64");
  case 5:
  case 6:
    return constant(number());
  case 7:
    return emit("attn.load @len[inside %b] : i64");
  case 8:
    return emit("attn.load @win[inside %h] : i64");
  case 9:
    return emit("attn.load @qd[inside %b, inside %q] : i64");
  case 10:
    return emit("attn.load @kd[inside %b, inside %kv] : i64");
  case 11:
    return oneIn(2) ? emit("attn.load @far[inside %kv] : i64")
                    : emit("attn.load @km[inside %kv] : i64");
  default:
    return oneIn(2) ? "%q" : "%kv";
  }
}

std::string RandomBody::load(int depth) {
  // Constant indices are checked at launch.
  std::string index = emit("arith.addi " + integer(depth - 1) + ", %h : i64");
  const char *const tensors[] = {"@any", "@km", "@far", "@five", "@none"};
  return emit("attn.load " + std::string(tensors[below(5)]) + "[" + index + "] : i64");
}

std::string RandomBody::linear() {
  std::string sum = oneIn(2) ? "%q" : "%kv";
  if (oneIn(3))
    sum = emit("arith.muli " + sum + ", " + constant(below(7) - 3) + " : i64");
  for (int64_t i = below(3); i >= 0; --i) {
    std::string term = oneIn(2) ? integerLeaf() : oneIn(2) ? "%q" : "%kv";
    std::string op = oneIn(2) ? "arith.addi " : "arith.subi ";
    sum = oneIn(3) ? emit(op + term + ", " + sum + " : i64")
                   : emit(op + sum + ", " + term + " : i64");
  }
  return sum;
}

std::string RandomBody::integerOp(int depth) {
  auto operand = [&]() { return integer(depth - 1); };
  auto binary = [&](const std::string &name, const std::string &lhs, const std::string &rhs) {
    return emit(name + " " + lhs + ", " + rhs + " : i64");
  };
  std::string lhs = operand();
  switch (below(18)) {
  case 0:
  case 1:
    return binary("arith.addi", lhs, operand());
  case 2:
  case 3:
    return binary("arith.subi", lhs, operand());
  case 4:
    return binary("arith.muli", lhs, oneIn(3) ? operand() : constant(below(9) - 4));
  case 5:
  case 6:
    return binary("attn.floordiv", lhs, oneIn(4) ? operand() : constant(number()));
  case 7:
  case 8:
    return binary("attn.floormod", lhs, oneIn(4) ? operand() : constant(number()));
  case 9:
    return binary("arith.shli", lhs, constant(below(oneIn(4) ? 64 : 6)));
  case 10:
    return binary("arith.shrsi", lhs, constant(below(oneIn(4) ? 64 : 6)));
  case 11: {
    const char *const names[] = {"arith.andi", "arith.ori", "arith.xori"};
    std::string rhs = oneIn(4) ? operand()
                               : constant(oneIn(2)   ? (int64_t(1) << below(8)) - 1
                                          : oneIn(2) ? -1
                                                     : number());
    return binary(names[below(3)], lhs, rhs);
  }
  case 12:
    return binary(oneIn(2) ? "arith.maxsi" : "arith.minsi", lhs, operand());
  case 13:
    if (oneIn(2))
      return emit("math.absi " + lhs + " : i64");
    return binary("arith.maxsi", lhs, binary("arith.subi", constant(0), lhs));
  case 14: {
    std::string chosen = condition(depth - 1);
    return emit("arith.select " + chosen + ", " + lhs + ", " + operand() + " : i64");
  }
  case 15:
    return emit("arith.extui " + condition(depth - 1) + " : i1 to i64");
  case 16:
    return oneIn(3) ? emit("attn.to_int " + real(depth - 1) + " : f32 to i64") : load(depth);
  default:
    return load(depth);
  }
}

std::string RandomBody::integer(int depth) {
  if (depth <= 0)
    return integerLeaf();
  return oneIn(2) ? linear() : integerOp(depth);
}

std::string RandomBody::bounds(int depth) {
  if (depth > 0) {
    std::string lhs = bounds(depth - 1), rhs = bounds(depth - 1);
    return emit((oneIn(3) ? "arith.ori " : "arith.andi ") + lhs + ", " + rhs + " : i1");
  }
  const char *const predicates[] = {"slt", "sle", "sgt", "sge", "eq", "ne"};
  std::string lhs = oneIn(3)   ? std::string("%q")
                    : oneIn(2) ? std::string("%kv")
                    : oneIn(2) ? emit("arith.subi %q, %kv : i64")
                               : emit("arith.subi %kv, %q : i64");
  std::string rhs = oneIn(8) ? integerLeaf() : constant(below(40) - 12);
  return emit("arith.cmpi " + std::string(predicates[below(oneIn(4) ? 6 : 4)]) + ", " + lhs + ", " +
              rhs + " : i64");
}

std::string RandomBody::runLeaf() {
  const char *const predicates[] = {"slt", "sle", "sgt", "sge", "eq", "ne"};
  auto compare = [&](const std::string &lhs, const std::string &rhs) {
    return emit("arith.cmpi " + std::string(predicates[below(oneIn(3) ? 6 : 4)]) + ", " + lhs +
                ", " + rhs + " : i64");
  };
  auto bound = [&]() -> std::string {
    switch (below(8)) {
    case 0:
      return emit("attn.get @n : i64");
    case 1:
      return emit("attn.load @len[inside %b] : i64");
    case 2:
      return oneIn(3) ? emit("attn.get @big : i64")
                      : emit("attn.load @qd[inside %b, inside %q] : i64");
    case 3:
      return constant(number());
    default:
      return constant(below(36) - 4);
    }
  };
  auto binary = [&](const std::string &op, const std::string &lhs, const std::string &rhs) {
    return emit(op + " " + lhs + ", " + rhs + " : i64");
  };
  std::string key = oneIn(2) ? "%kv" : binary("arith.muli", "%kv", constant(below(7) - 3));
  std::string form =
      oneIn(3) ? key : binary(oneIn(2) ? "arith.subi" : "arith.addi", oneIn(3) ? key : "%q", key);
  switch (below(8)) {
  case 0:
    return compare(emit("math.absi " + form + " : i64"), bound());
  case 1: {
    std::string divisor = constant(1 + below(9));
    std::string rhs = oneIn(2) ? bound() : binary("attn.floordiv", "%q", divisor);
    return compare(binary("attn.floordiv", form, divisor), rhs);
  }
  case 2:
    return compare(binary("attn.floormod", form, constant(1 + below(18))), constant(below(6)));
  case 3:
    return compare("%q", bound());
  default:
    return compare(form, bound());
  }
}

std::string RandomBody::runs(int depth) {
  if (depth <= 0)
    return runLeaf();
  std::string lhs = runs(depth - 1);
  switch (below(10)) {
  case 0:
    return emit("arith.xori " + lhs + ", " + emit("arith.constant true") + " : i1");
  case 1: {
    std::string chosen = runs(depth - 1), rhs = runs(depth - 1);
    return emit("arith.select " + chosen + ", " + lhs + ", " + rhs + " : i1");
  }
  default:
    return emit((oneIn(2) ? "arith.ori " : "arith.andi ") + lhs + ", " + runs(depth - 1) + " : i1");
  }
}

std::string RandomBody::condition(int depth) {
  if (depth > 0 && oneIn(8))
    return bounds(static_cast<int>(1 + below(2)));
  if (depth <= 0 && oneIn(4))
    switch (below(4)) {
    case 0:
      return emit("attn.load @qf[inside %q] : i1");
    case 1:
      return emit("attn.load @kf[inside %b, inside %kv] : i1");
    case 2:
      return emit("attn.load @pair[inside %q, inside %kv] : i1");
    default:
      return emit("attn.get @on : i1");
    }
  int64_t kind = depth <= 0 ? 0 : below(12);
  const char *const predicates[] = {"slt", "sle", "sgt", "sge", "eq", "ne"};
  if (kind < 5) {
    std::string lhs = integer(depth - 1), rhs = integer(depth - 1);
    return emit("arith.cmpi " + std::string(predicates[below(6)]) + ", " + lhs + ", " + rhs +
                " : i64");
  }
  if (kind == 5) {
    std::string lhs = real(depth - 1), rhs = real(depth - 1);
    return emit("arith.cmpf olt, " + lhs + ", " + rhs + " : f32");
  }
  if (kind == 6)
    return emit("attn.load @flags[" + integer(depth - 1) + "] : i1");
  std::string lhs = condition(depth - 1);
  if (kind == 7)
    return emit("arith.xori " + lhs + ", " + emit("arith.constant true") + " : i1");
  std::string rhs = condition(depth - 1);
  if (kind == 8 && oneIn(3)) {
    std::string chosen = condition(depth - 1);
    return emit("arith.select " + chosen + ", " + lhs + ", " + rhs + " : i1");
  }
  if (kind == 8)
    return emit("arith.xori " + lhs + ", " + rhs + " : i1");
  return emit((kind < 11 ? "arith.andi " : "arith.ori ") + lhs + ", " + rhs + " : i1");
}

std::string RandomBody::real(int depth) {
  if (depth <= 0)
    switch (below(hasScore ? 7 : 5)) {
    case 0:
      return emit("attn.get @cap : f32");
    case 1:
      return emit("attn.load @half[inside %kv] : f32");
    case 2:
      return emit("attn.load @brain[inside %q] : f32");
    case 3:
      return emit("attn.load @bias[" + emit("arith.addi " + integer(0) + ", %h : i64") +
                  ", inside %kv] : f32");
    case 4:
      return emit("arith.constant " + std::to_string(below(9) - 4) + ".5 : f32");
    default:
      return "%score";
    }
  auto operand = [&]() { return real(depth - 1); };
  switch (below(12)) {
  case 0: {
    const char *const names[] = {"math.floor", "math.ceil", "math.trunc", "math.roundeven"};
    return emit(std::string(names[below(4)]) + " " + operand() + " : f32");
  }
  case 1:
    return emit((oneIn(2) ? "math.sqrt " : "math.absf ") + operand() + " : f32");
  case 2: {
    std::string type = oneIn(2) ? "f16" : "bf16";
    std::string rounded = emit("arith.truncf " + operand() + " : f32 to " + type);
    return emit("arith.extf " + rounded + " : " + type + " to f32");
  }
  case 3:
  case 4: {
    // Larger integers are rounded, once or twice as it may be.
    std::string value = integer(depth - 1);
    value = emit("arith.minsi " + value + ", " + constant(1 << 24) + " : i64");
    value = emit("arith.maxsi " + value + ", " + constant(-(1 << 24)) + " : i64");
    return emit("arith.sitofp " + value + " : i64 to f32");
  }
  case 5: {
    std::string chosen = condition(depth - 1), lhs = operand(), rhs = operand();
    return emit("arith.select " + chosen + ", " + lhs + ", " + rhs + " : f32");
  }
  case 6:
    return emit("attn.load @steps[" + integer(depth - 1) + "] : f32");
  default: {
    const char *const names[] = {"arith.addf", "arith.subf",     "arith.mulf",
                                 "arith.divf", "arith.maximumf", "arith.minimumf"};
    std::string lhs = operand(), rhs = operand();
    return emit(std::string(names[below(6)]) + " " + lhs + ", " + rhs + " : f32");
  }
  }
}

//===------------------------------------------------------------------------===//
// Kernels
//===------------------------------------------------------------------------===//

OwningOpRef<ModuleOp> RandomBody::parse(MLIRContext &context, const std::string &name,
                                        const std::string &arguments,
                                        const std::function<std::string()> &body,
                                        const std::string &type) {
  text.clear();
  next = 0;
  std::string yielded = body();
  std::string source = "attn.kernel @" + name + " dtype(f32) head_dim(8) value_dim(8) {\n" +
                       declarations + "  " + arguments + " {\n" + text + "    attn.yield " +
                       yielded + " : " + type + "\n  }\n}\n";
  return parseSourceString<ModuleOp>(source, &context);
}

OwningOpRef<ModuleOp> RandomBody::makeMask(MLIRContext &context, const std::string &name) {
  hasScore = false;
  return parse(
      context, name, "attn.mask(%b, %h, %q, %kv)",
      [&]() {
        return oneIn(3) ? runs(static_cast<int>(1 + below(3)))
                        : condition(static_cast<int>(1 + below(4)));
      },
      "i1");
}

OwningOpRef<ModuleOp> RandomBody::makeScore(MLIRContext &context, const std::string &name) {
  hasScore = true;
  return parse(
      context, name, "attn.score(%score, %b, %h, %q, %kv)",
      [&]() { return real(static_cast<int>(1 + below(4))); }, "f32");
}

std::unique_ptr<Arguments> RandomBody::makeArguments(const RandomSizes &sizes) {
  auto [batches, heads, queries, keys, extent] = sizes;
  auto arguments = std::make_unique<Arguments>(batches, heads, queries, keys);
  bool sorted = oneIn(3);
  int64_t wildness = oneIn(3) ? 8 : oneIn(2) ? 1 : 0;
  auto capture = [&](const char *name, ElementType type, std::vector<int64_t> shape,
                     int64_t wildness = 0) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    std::vector<int64_t> values(count);
    int64_t current = 0;
    for (int64_t &value : values)
      value = sorted ? current += oneIn(6) : element(wildness);
    arguments->addCapture(name, type, std::move(shape), values);
  };
  capture("qd", ElementType::I32, {batches, queries});
  capture("kd", ElementType::I16, {batches, keys});
  capture("km", ElementType::U8, {keys});
  capture("far", ElementType::I64, {keys}, wildness);
  capture("len", ElementType::I32, {batches});
  capture("win", ElementType::I8, {heads});
  capture("any", ElementType::I32, {extent});
  capture("now", ElementType::I32, {});
  capture("half", ElementType::F16, {keys});
  capture("brain", ElementType::BF16, {queries});
  capture("bias", ElementType::F32, {extent, keys});
  for (auto [name, shape] : {std::pair("qf", std::vector<int64_t>{queries}),
                             std::pair("kf", std::vector<int64_t>{batches, keys}),
                             std::pair("pair", std::vector<int64_t>{queries, keys})}) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    std::vector<int64_t> values(count);
    int64_t kind = below(4);
    for (int64_t &value : values)
      value = kind == 0 ? 0 : kind == 1 ? 1 : below(2);
    arguments->addCapture(name, ElementType::Bool, shape, values);
  }
  arguments->launch.scalars["n"] = element(0);
  arguments->launch.scalars["big"] = number();
  arguments->launch.scalars["on"] = oneIn(2);
  arguments->launch.scalars["cap"] = static_cast<double>(below(17) - 8) / 4;
  return arguments;
}
