//===- TestKernel.cpp - A kernel in text and its tensors --------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/reference/TestKernel.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "dialect/Attn/IR/AttnDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace attnc;

TestKernel::TestKernel(const std::string &body, int64_t headDim, int64_t valueDim,
                       const std::string &flags) {
  context.loadDialect<attn::AttnDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
  std::string text = "attn.kernel @test dtype(f32) head_dim(" + std::to_string(headDim) +
                     ") value_dim(" + std::to_string(valueDim) + ") " + flags + " {\n" + body +
                     "\n}";
  module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "test.mlir");
  if (!module) {
    ADD_FAILURE() << "no kernel: " << text;
    return;
  }
  kernel = *module->getOps<attn::KernelOp>().begin();
  info = getKernelInfo(kernel);
  info.lse = true;
  setSizes(1, 1, 1, 1, 1);
}

void TestKernel::setSizes(int64_t B, int64_t Hq, int64_t Hkv, int64_t Q, int64_t KV) {
  auto make = [](std::vector<float> &data, std::vector<int64_t> sizes) {
    int64_t elements = 1;
    for (int64_t size : sizes)
      elements *= size;
    data.assign(elements, 0);
    return TensorView{data.data(), ElementType::F32, sizes, getContiguousStrides(sizes)};
  };
  arguments.q = make(q, {B, Hq, Q, info.headDim});
  arguments.k = make(k, {B, Hkv, KV, info.headDim});
  arguments.v = make(v, {B, Hkv, KV, info.valueDim});
  arguments.o = make(o, {B, Hq, Q, info.valueDim});
  arguments.lse = make(lse, {B, Hq, Q});
  weights.assign(B * Hq * Q * KV, 0);
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<float>(static_cast<int64_t>(i) / info.valueDim % KV);
}

void TestKernel::addCapture(const std::string &name, std::vector<int64_t> sizes,
                            std::vector<float> values) {
  std::vector<float> &data = captures[name] = std::move(values);
  arguments.captures[name] = {data.data(), ElementType::F32, sizes, getContiguousStrides(sizes)};
}

std::optional<std::string> TestKernel::bind(BoundArguments &bound) {
  return bindArguments(info, arguments, bound);
}

bool TestKernel::run(reference::Precision precision) {
  BoundArguments bound;
  if (auto message = bind(bound)) {
    ADD_FAILURE() << *message;
    return false;
  }
  std::vector<int64_t> sizes = {bound.B, bound.Hq, bound.Q, bound.KV};
  TensorView weightsView{weights.data(), ElementType::F32, sizes, getContiguousStrides(sizes)};
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) { error = diagnostic.str(); });
  auto result =
      reference::run(kernel, info, arguments, bound, {&arguments.o, &*arguments.lse, &weightsView},
                     precision, /*threads=*/2);
  if (failed(result))
    return false;
  summary = *result;
  return true;
}

double TestKernel::evaluateScore(double score, int64_t q, int64_t kv,
                                 reference::Arithmetic arithmetic) {
  BoundArguments bound;
  if (auto message = bind(bound))
    ADD_FAILURE() << *message;
  auto program =
      reference::PairProgram::decode(kernel.getScore(), kernel, info, arguments, bound, arithmetic);
  if (failed(program)) {
    ADD_FAILURE() << "the body is not understood";
    return 0;
  }
  std::vector<reference::Cell> registers = program->makeRegisters();
  reference::Findings findings;
  reference::Cell arguments[] = {{.f = score}, {.i = 0}, {.i = 0}, {.i = q}, {.i = kv}};
  return program->evaluate(registers, arguments, findings).f;
}
