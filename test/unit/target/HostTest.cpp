//===- HostTest.cpp - Tests of code generation for this machine -------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Host/HostCode.h"
#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include <gtest/gtest.h>

using namespace attnc;

namespace {
// Stores b + 10 * h to the first slots' place `q_begin`.
const char *const source = R"mlir(
module attributes {attnc.kernels = {add = "{\"name\": \"add\", \"head_dim\": 8}"}} {
  llvm.func @add(%slots: !llvm.ptr, %b: i64, %h: i64, %begin: i64, %end: i64, %scratch: !llvm.ptr)
      attributes {attnc.query_block = 64 : i64, attnc.scratch_bytes = 128 : i64} {
    %ten = llvm.mlir.constant(10 : i64) : i64
    %t = llvm.mul %h, %ten : i64
    %s = llvm.add %b, %t : i64
    %v = llvm.load %slots : !llvm.ptr -> !llvm.ptr
    %p = llvm.getelementptr %v[%begin] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %s, %p : i64, !llvm.ptr
    llvm.return
  }
})mlir";

class Host : public testing::Test {
protected:
  Host() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<mlir::LLVM::LLVMDialect>();
    registerHostTranslations(context);
  }

  std::unique_ptr<llvm::Module> translate(const char *text, const HostTarget &target) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    return translateToLLVMIR(*module, llvmContext, target);
  }

  std::unique_ptr<llvm::MemoryBuffer> compile(const char *text, const HostTarget &target) {
    std::unique_ptr<llvm::Module> ir = translate(text, target);
    llvm::SmallVector<char> object;
    llvm::raw_svector_ostream os(object);
    emitHostCode(*ir, target, llvm::CodeGenFileType::ObjectFile, os);
    return llvm::MemoryBuffer::getMemBufferCopy(os.str());
  }

  mlir::MLIRContext context;
  llvm::LLVMContext llvmContext;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

HostTarget getTarget(llvm::StringRef name) { return llvm::cantFail(HostTarget::get(name)); }
} // namespace

TEST_F(Host, KernelsCarryTheirDescription) {
  std::unique_ptr<llvm::Module> ir = translate(source, getTarget("x86-64-v3"));
  auto *metadata = ir->getGlobalVariable("add_metadata");
  ASSERT_TRUE(metadata && metadata->isConstant());
  llvm::StringRef text =
      llvm::cast<llvm::ConstantDataSequential>(metadata->getInitializer())->getAsCString();
  EXPECT_TRUE(text.starts_with(R"({"cpu":"x86-64-v3","features":[)")) << text.str();
  EXPECT_TRUE(text.ends_with(R"(,"head_dim":8,"name":"add","query_block":64,"scratch_bytes":128})"))
      << text.str();
  EXPECT_TRUE(text.contains(R"("fma")"));
  EXPECT_FALSE(text.contains(R"("avx512f")"));
}

TEST_F(Host, FunctionsKnowTheirCpu) {
  std::unique_ptr<llvm::Module> ir = translate(source, getTarget("x86-64-v3"));
  llvm::Function *function = ir->getFunction("add");
  EXPECT_EQ(function->getFnAttribute("target-cpu").getValueAsString(), "x86-64-v3");
  EXPECT_TRUE(function->getFnAttribute("target-features").getValueAsString().contains("+avx2"));
  EXPECT_FALSE(function->hasFnAttribute("min-legal-vector-width"));
  EXPECT_TRUE(function->hasParamAttribute(0, llvm::Attribute::NoAlias));
  EXPECT_TRUE(function->hasParamAttribute(5, llvm::Attribute::NoAlias));
}

TEST_F(Host, CodeThatNeedsALibraryIsAnInternalError) {
  HostTarget target = getTarget("x86-64");
  std::unique_ptr<llvm::MemoryBuffer> object = compile(R"mlir(
    llvm.func @expf(f32) -> f32
    llvm.func @memcpy(f32) -> f32
    llvm.func @f(%x: f32) -> f32 {
      %y = llvm.call @expf(%x) : (f32) -> f32
      %z = llvm.call @memcpy(%y) : (f32) -> f32
      llvm.return %z : f32
    })mlir",
                                                       target);
  EXPECT_EQ(llvm::toString(checkSelfContained(object->getMemBufferRef())),
            "internal error, please report: the code needs expf, memcpy from a library");
}

TEST(HostTarget, Names) {
  for (llvm::StringRef name : HostTarget::getNames()) {
    HostTarget target = getTarget(name);
    EXPECT_TRUE(target.hasFeature("sse2")) << name.str();
    EXPECT_TRUE(target.createTargetMachine());
  }
  EXPECT_TRUE(getTarget("x86-64-v3").hasFeature("fma"));
  EXPECT_TRUE(getTarget("x86-64-v3").hasFeature("f16c"));
  EXPECT_FALSE(getTarget("x86-64-v3").hasFeature("avx512f"));
  EXPECT_FALSE(getTarget("x86-64").hasFeature("avx"));
  EXPECT_EQ(
      llvm::toString(HostTarget::get("pentium").takeError()),
      "expected a CPU of native, x86-64-v4-bf16, x86-64-v4, x86-64-v3, x86-64, got `pentium`");
}

TEST(HostTarget, OtherMachines) {
  HostTarget arm = HostTarget::getForTriple("aarch64-linux-gnu");
  EXPECT_FALSE(arm.isX86());
  EXPECT_EQ(arm.getName(), "aarch64");
  EXPECT_TRUE(arm.getNeeds().empty());
  EXPECT_TRUE(arm.createTargetMachine());
  EXPECT_EQ(HostTarget::getForTriple("x86_64-linux-gnu").getName(), "x86-64");
}

// Each level needs what the one before it does, and more.
TEST(HostTarget, Levels) {
  EXPECT_EQ(HostTarget::getLevels(/*hasBf16=*/false).back().getName(), "x86-64-v4");
  EXPECT_EQ(HostTarget::getLevels(/*hasBf16=*/true).back().getName(), "x86-64-v4-bf16");
  std::vector<std::string> before;
  for (const HostTarget &level : HostTarget::getLevels(/*hasBf16=*/true)) {
    std::vector<std::string> needs = level.getNeeds();
    for (const std::string &need : before)
      EXPECT_TRUE(llvm::is_contained(needs, need)) << level.cpu << " " << need;
    EXPECT_TRUE(before.empty() || needs.size() > before.size());
    before = needs;
  }
}

TEST(HostTarget, KnowsWhatRunsHere) {
  EXPECT_EQ(llvm::toString(getTarget("native").checkRunsHere()), "");
  EXPECT_EQ(llvm::toString(getTarget("x86-64").checkRunsHere()), "");
  HostTarget other{"z1", "+never-heard-of,+sse2"};
  EXPECT_EQ(llvm::toString(other.checkRunsHere()),
            "this machine cannot run code for the CPU `z1`: it lacks never-heard-of");
}
