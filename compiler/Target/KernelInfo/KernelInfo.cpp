//===- KernelInfo.cpp - Describes attn kernels to their callers -------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "attnc/KernelMetadata.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"
#include <set>

using namespace mlir;
using namespace attnc;

ElementType attnc::getElementType(Type stored) {
  return llvm::TypeSwitch<Type, ElementType>(stored)
      .Case<Float32Type>([](auto) { return ElementType::F32; })
      .Case<Float16Type>([](auto) { return ElementType::F16; })
      .Case<BFloat16Type>([](auto) { return ElementType::BF16; })
      .Case<IntegerType>([](IntegerType type) {
        switch (type.getWidth()) {
        case 1:
          return ElementType::Bool;
        case 8:
          return type.isUnsigned() ? ElementType::U8 : ElementType::I8;
        case 16:
          return ElementType::I16;
        case 32:
          return ElementType::I32;
        default:
          return ElementType::I64;
        }
      });
}

/// Appends the postfix form of `expr`, whose symbols `capture` names.
static void appendSteps(AffineExpr expr, attn::CaptureOp capture,
                        std::vector<SizeExpr::Step> &steps) {
  using Kind = SizeExpr::Kind;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    steps.push_back({Kind::Constant, constant.getValue(), {}});
    return;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    steps.push_back({Kind::Symbol, 0, capture.getDimName(symbol.getPosition()).str()});
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  appendSteps(binary.getLHS(), capture, steps);
  appendSteps(binary.getRHS(), capture, steps);
  auto kind = [&] {
    switch (binary.getKind()) {
    case AffineExprKind::Add:
      return Kind::Add;
    case AffineExprKind::Mul:
      return Kind::Mul;
    case AffineExprKind::FloorDiv:
      return Kind::FloorDiv;
    case AffineExprKind::CeilDiv:
      return Kind::CeilDiv;
    default:
      return Kind::Mod;
    }
  }();
  steps.push_back({kind, 0, {}});
}

static CaptureInfo getCaptureInfo(attn::CaptureOp capture) {
  CaptureInfo info{capture.getSymName().str(), getElementType(capture.getElementType()), {}};
  for (AffineExpr size : capture.getShape().getResults()) {
    std::vector<SizeExpr::Step> steps;
    appendSteps(size, capture, steps);
    info.shape.push_back(SizeExpr(std::move(steps)));
  }
  return info;
}

/// The constant indices into captured tensors, each once, in order of their loads.
static std::vector<Requirement> getRequirements(attn::KernelOp kernel) {
  std::vector<Requirement> requirements;
  std::set<std::tuple<std::string, int64_t, int64_t>> seen;
  kernel.walk([&](attn::LoadOp load) {
    if (!kernel.lookupCapture(load.getSource()))
      return;
    for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
      APInt value;
      int64_t position = static_cast<int64_t>(dim);
      if (matchPattern(index, m_ConstantInt(&value)) &&
          seen.insert({load.getSource().str(), position, value.getSExtValue()}).second)
        requirements.push_back({load.getSource().str(), position, value.getSExtValue()});
    }
  });
  return requirements;
}

KernelInfo attnc::getKernelInfo(attn::KernelOp kernel) {
  KernelInfo info;
  info.name = kernel.getSymName().str();
  info.dtype = getElementType(kernel.getDtype());
  info.headDim = kernel.getHeadDim();
  info.valueDim = kernel.getValueDim();
  info.scale = kernel.getStaticScale();
  info.lse = kernel.getLse();
  info.checked = kernel.getChecked();
  for (StringRef extent : kernel.getExtentNames())
    info.extents.push_back(extent.str());
  for (auto capture : kernel.getBody().getOps<attn::CaptureOp>())
    info.captures.push_back(getCaptureInfo(capture));
  for (auto scalar : kernel.getBody().getOps<attn::ScalarOp>())
    info.scalars.push_back({scalar.getSymName().str(), getElementType(scalar.getElementType())});
  info.requirements = getRequirements(kernel);
  return info;
}

llvm::json::Value attnc::toJSON(const KernelInfo &info) {
  namespace json = llvm::json;
  json::Array captures, scalars, requirements;
  for (const CaptureInfo &capture : info.captures) {
    json::Array shape;
    for (const SizeExpr &size : capture.shape)
      shape.push_back(size.print());
    captures.push_back(json::Object{
        {"name", capture.name}, {"type", getName(capture.type)}, {"shape", std::move(shape)}});
  }
  for (const ScalarInfo &scalar : info.scalars)
    scalars.push_back(json::Object{{"name", scalar.name}, {"type", getName(scalar.type)}});
  for (const Requirement &requirement : info.requirements)
    requirements.push_back(json::Object{
        {"capture", requirement.capture}, {"dim", requirement.dim}, {"index", requirement.index}});
  json::Array tensors;
  auto addTensor = [&](llvm::StringRef name, ElementType type) {
    tensors.push_back(
        json::Object{{"name", name}, {"type", getName(type)}, {"layout", stridedLayout}});
  };
  for (const char *name : {"q", "k", "v", "o"})
    addTensor(name, info.dtype);
  if (info.lse)
    addTensor("lse", ElementType::F32);
  return json::Object{{"version", metadataVersion},
                      {"name", info.name},
                      {"dtype", getName(info.dtype)},
                      {"head_dim", info.headDim},
                      {"value_dim", info.valueDim},
                      {"scale", info.scale ? json::Value(*info.scale) : json::Value(nullptr)},
                      {"lse", info.lse},
                      {"checked", info.checked},
                      {"extents", json::Array(info.extents)},
                      {"captures", std::move(captures)},
                      {"scalars", std::move(scalars)},
                      {"requirements", std::move(requirements)},
                      {"tensors", std::move(tensors)}};
}
