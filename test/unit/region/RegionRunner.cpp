//===- RegionRunner.cpp - Runs what is emitted for mask and score bodies ----===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/region/RegionRunner.h"
#include "compiler/Target/Host/HostCode.h"
#include "compiler/Target/Host/HostImage.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "runtime/host/HostImage.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;
using namespace attnc;
using namespace attnc::test;

std::unique_ptr<MLIRContext> test::createContext() {
  auto context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<attn::AttnDialect, arith::ArithDialect, math::MathDialect,
                       vector::VectorDialect, scf::SCFDialect, LLVM::LLVMDialect, ub::UBDialect>();
  registerHostTranslations(*context);
  DialectRegistry registry;
  vector::registerConvertVectorToLLVMInterface(registry);
  context->appendDialectRegistry(registry);
  return context;
}

bool test::prepare(Operation *op, bool simplify) {
  if (failed(verify(op)))
    return false;
  if (!simplify)
    return true;
  PassManager passes(op->getContext());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  return succeeded(passes.run(op));
}

//===------------------------------------------------------------------------===//
// Arguments
//===------------------------------------------------------------------------===//

static constexpr int64_t headDim = 8;

Arguments::Arguments(int64_t batches, int64_t heads, int64_t queries, int64_t keys) {
  // Nothing reads these tensors; any size fits one row with strides of 0.
  auto row = std::make_unique<char[]>(headDim * sizeof(float));
  auto view = [&](int64_t rows) {
    return TensorView{row.get(), ElementType::F32, {batches, heads, rows, headDim}, {0, 0, 0, 1}};
  };
  launch.q = view(queries);
  launch.o = launch.q;
  launch.o.strides = getContiguousStrides(launch.o.sizes);
  launch.k = launch.v = view(keys);
  memory.push_back(std::move(row));
}

template <typename T> static void store(char *data, int64_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

/// Stores `value`, an integer or a float, as element `index` of a tensor of type `type`.
template <typename T>
static void storeElement(char *data, ElementType type, int64_t index, T value) {
  switch (type) {
  case ElementType::F32:
    return store(data, index, static_cast<float>(value));
  case ElementType::F16:
    return store(data, index, convertFloatToF16(static_cast<float>(value)));
  case ElementType::BF16:
    return store(data, index, convertFloatToBF16(static_cast<float>(value)));
  case ElementType::I8:
  case ElementType::U8:
  case ElementType::Bool:
    return store(data, index, static_cast<uint8_t>(static_cast<int64_t>(value)));
  case ElementType::I16:
    return store(data, index, static_cast<int16_t>(static_cast<int64_t>(value)));
  case ElementType::I32:
    return store(data, index, static_cast<int32_t>(static_cast<int64_t>(value)));
  case ElementType::I64:
    return store(data, index, static_cast<int64_t>(value));
  }
}

template <typename T>
static std::unique_ptr<char[]> makeTensor(ElementType type, const std::vector<T> &values) {
  auto data = std::make_unique<char[]>(std::max<size_t>(values.size() * getSize(type), 1));
  for (size_t i = 0; i < values.size(); ++i)
    storeElement(data.get(), type, static_cast<int64_t>(i), values[i]);
  return data;
}

void Arguments::addCapture(const std::string &name, ElementType type, std::vector<int64_t> sizes,
                           const std::vector<double> &values) {
  memory.push_back(makeTensor(type, values));
  std::vector<int64_t> strides =
      values.size() == 1 ? std::vector<int64_t>(sizes.size()) : getContiguousStrides(sizes);
  launch.captures[name] = {memory.back().get(), type, std::move(sizes), std::move(strides)};
}

void Arguments::addCapture(const std::string &name, ElementType type, std::vector<int64_t> sizes,
                           const std::vector<int64_t> &values) {
  memory.push_back(makeTensor(type, values));
  std::vector<int64_t> strides =
      values.size() == 1 ? std::vector<int64_t>(sizes.size()) : getContiguousStrides(sizes);
  launch.captures[name] = {memory.back().get(), type, std::move(sizes), std::move(strides)};
}

BoundArguments test::bind(attn::KernelOp kernel, const Arguments &arguments) {
  BoundArguments bound;
  std::optional<std::string> error = bindArguments(getKernelInfo(kernel), arguments.launch, bound);
  EXPECT_EQ(error.value_or(""), "");
  return bound;
}

//===------------------------------------------------------------------------===//
// RegionRunner
//===------------------------------------------------------------------------===//

RegionRunner::RegionRunner(MLIRContext &context, const HostTarget &target)
    : target(target), module(ModuleOp::create(UnknownLoc::get(&context))) {
  features.fma = target.hasFeature("fma");
  features.rounding = target.hasFeature("sse4.1");
  features.f16 = target.hasFeature("f16c");
  features.bf16 = target.hasFeature("avx512bf16");
}

void RegionRunner::add(const std::string &name, attn::KernelOp kernel, const Body &body) {
  MLIRContext *context = kernel.getContext();
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  Type i64 = builder.getI64Type(), pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, i64, i64, i64, i64, pointer});
  auto function = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), name, type);
  function->setAttr(queryBlockAttrName, builder.getI64IntegerAttr(1));
  function->setAttr(scratchBytesAttrName, builder.getI64IntegerAttr(0));
  Block *block = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  auto end = LLVM::ReturnOp::create(builder, kernel.getLoc(), ValueRange());

  // What is read once a launch goes before this op.
  builder.setInsertionPoint(end);
  auto split = LLVM::ConstantOp::create(builder, kernel.getLoc(), i64, 0);
  OpBuilder entry(split);
  ArgumentReader reader(kernel, block->getArgument(0), entry, features);
  OpEmitter emitter(reader, features);
  body(builder, emitter,
       {block->getArgument(1), block->getArgument(2), block->getArgument(3), block->getArgument(4),
        block->getArgument(5)});
  KernelInfo info;
  info.name = name;
  info.headDim = info.valueDim = headDim;
  std::string text;
  llvm::raw_string_ostream(text) << toJSON(info);
  descriptions.push_back(builder.getNamedAttr(name, builder.getStringAttr(text)));
  functions[name] = nullptr;
}

bool RegionRunner::compile() {
  (*module)->setAttr(kernelsAttrName, DictionaryAttr::get(module->getContext(), descriptions));
  if (failed(verify(*module)))
    return false;
  PassManager passes(module->getContext());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (failed(passes.run(*module)))
    return false;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> ir = translateToLLVMIR(*module, llvmContext, target);
  if (!ir)
    return false;
  llvm::SmallVector<char> object;
  llvm::raw_svector_ostream os(object);
  emitHostCode(*ir, target, llvm::CodeGenFileType::ObjectFile, os);
  std::string image;
  llvm::raw_string_ostream imageStream(image);
  if (llvm::Error error = linkHostImage(llvm::MemoryBufferRef(os.str(), ""), imageStream)) {
    ADD_FAILURE() << llvm::toString(std::move(error));
    return false;
  }
  if (std::optional<std::string> error = loadHostImage(image, kernels)) {
    ADD_FAILURE() << *error;
    return false;
  }
  for (const HostKernel &kernel : kernels)
    functions[kernel.info.name] = kernel.function;
  return true;
}

//===------------------------------------------------------------------------===//
// Oracle
//===------------------------------------------------------------------------===//

Oracle::Oracle(Operation *body, attn::KernelOp kernel, const Arguments &arguments,
               const BoundArguments &bound)
    : info(getKernelInfo(kernel)) {
  FailureOr<reference::PairProgram> decoded = reference::PairProgram::decode(
      body, kernel, info, arguments.launch, bound, reference::Arithmetic::F32);
  if (failed(decoded))
    return;
  program = std::move(*decoded);
  registers = program->makeRegisters();
}

bool Oracle::evaluateMask(int64_t b, int64_t h, int64_t q, int64_t kv) {
  reference::Findings findings;
  reference::Cell arguments[] = {{.i = b}, {.i = h}, {.i = q}, {.i = kv}};
  return program->evaluate(registers, arguments, findings).i != 0;
}

float Oracle::evaluateScore(float score, int64_t b, int64_t h, int64_t q, int64_t kv) {
  reference::Findings findings;
  reference::Cell arguments[] = {{.f = score}, {.i = b}, {.i = h}, {.i = q}, {.i = kv}};
  return static_cast<float>(program->evaluate(registers, arguments, findings).f);
}
