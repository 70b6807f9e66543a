//===- PtxTest.cpp - Tests of code generation for GPUs ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/PtxCode.h"
#include "compiler/Target/Ptx/SourceLocations.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace attnc;
using testing::HasSubstr;
using testing::Not;

namespace {
class Ptx : public testing::Test {
protected:
  Ptx() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
    registerPtxTranslations(context);
    parse("copy.mlir");
  }

  void parse(const char *name) {
    std::string folder = ATTNC_SOURCE_DIR "/test/compiler/Target/Ptx/Inputs/";
    module = mlir::parseSourceFile<mlir::ModuleOp>(folder + name, &context);
  }

  std::string emit(llvm::StringRef arch, bool lineInfo = false, int threads = 1) {
    return emit(arch, encodeLocations(*module), lineInfo, threads);
  }

  std::string emit(llvm::StringRef arch, const std::vector<std::string> &phases, bool lineInfo,
                   int threads) {
    llvm::Expected<PtxTarget> target = PtxTarget::get(arch);
    EXPECT_TRUE(static_cast<bool>(target));
    std::optional<std::vector<PtxPart>> parts = translateParts(*module, *target, threads);
    EXPECT_TRUE(parts.has_value());
    numParts = parts->size();
    std::string text;
    llvm::raw_string_ostream os(text);
    emitPtx(*module, std::move(*parts), *target, phases, lineInfo, threads, os);
    return text;
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

  size_t numParts = 0;

  mlir::MLIRContext context;
  llvm::LLVMContext llvmContext;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

TEST(PtxTarget, ChoosesTheBestForAGpu) {
  auto choose = [](int major, int minor) {
    llvm::Expected<PtxTarget> target = PtxTarget::getForGpu(major, minor);
    return target ? target->arch : llvm::toString(target.takeError());
  };
  EXPECT_EQ(choose(8, 0), "sm_80");
  EXPECT_EQ(choose(8, 6), "sm_86");
  EXPECT_EQ(choose(8, 9), "sm_89");
  EXPECT_EQ(choose(9, 0), "sm_90a");
  EXPECT_EQ(choose(10, 0), "sm_100");
  // Of what is not known, the newest before it that is not for another architecture alone.
  EXPECT_EQ(choose(9, 2), "sm_90");
  EXPECT_EQ(choose(10, 3), "sm_100");
  EXPECT_EQ(choose(12, 1), "sm_120");
  EXPECT_EQ(choose(7, 5), "expected a GPU of compute capability 8.0 or later, got 7.5");
}

TEST(PtxTarget, KnowsEachArchitecture) {
  for (const std::string &name : PtxTarget::getNames()) {
    llvm::Expected<PtxTarget> target = PtxTarget::get(name);
    ASSERT_TRUE(static_cast<bool>(target)) << name;
    EXPECT_EQ(target->arch, name);
    EXPECT_GE(target->ptxVersion, 80u);
    EXPECT_GE(target->sharedBytes, 99 * 1024);
    EXPECT_TRUE(target->createTargetMachine()) << name;
  }
  EXPECT_EQ(PtxTarget::get("sm_80")->sharedBytes, 163 * 1024);
  EXPECT_EQ(PtxTarget::get("sm_86")->sharedBytes, 99 * 1024);
  EXPECT_EQ(PtxTarget::get("sm_90a")->sharedBytes, 227 * 1024);
}

TEST(PtxTarget, NamesTheArchitecturesItKnows) {
  llvm::Expected<PtxTarget> target = PtxTarget::get("sm_70");
  ASSERT_FALSE(static_cast<bool>(target));
  EXPECT_EQ(llvm::toString(target.takeError()),
            "expected an architecture of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, "
            "sm_120, got `sm_70`");
}

TEST(PtxTarget, HasShortPointersToSharedMemory) {
  llvm::DataLayout layout = PtxTarget::get("sm_80")->createTargetMachine()->createDataLayout();
  EXPECT_EQ(layout.getPointerSize(3), 4u);
  EXPECT_EQ(layout.getPointerSize(1), 8u);
}

TEST_F(Ptx, TakesTheArgumentsAsOneParameter) {
  std::string text = emit("sm_80");
  EXPECT_THAT(text, HasSubstr(".target sm_80"));
  EXPECT_THAT(text, HasSubstr(".param .align 8 .b8 copy_param_0[208]"));
  EXPECT_THAT(text, HasSubstr(".reqntid 32, 1, 1"));
  EXPECT_THAT(text, HasSubstr(".extern .shared .align 128 .b8 attnc_shared[]"));
  // Slots are read whole.
  EXPECT_THAT(text, HasSubstr("ld.param.b64"));
  EXPECT_THAT(text, Not(HasSubstr("ld.param.b32")));
  // No thread has a copy of the arguments.
  EXPECT_THAT(text, Not(HasSubstr(".local")));
  // Addresses in shared memory are not made of 64-bit ones.
  EXPECT_THAT(text, HasSubstr("mov.b32\t%r"));
  EXPECT_THAT(text, Not(HasSubstr("cvta")));
}

TEST_F(Ptx, SaysAtTheTopWhatIsInTheFile) {
  std::string text = emit("sm_86");
  EXPECT_THAT(text, testing::StartsWith(
                        "// Fused attention kernels for sm_86 and later, PTX 8.0, by "
                        "attnc.\n//\n// copy\n//   launch     32 rows of queries a "
                        "block of 32 threads, 512 bytes of dynamic shared memory\n//   {\"arch\":"
                        "\"sm_86\""));
}

TEST_F(Ptx, LocationsChangeNoInstruction) {
  std::string without = emit("sm_80", /*phases=*/{}, /*lineInfo=*/false, /*threads=*/1);
  EXPECT_EQ(emit("sm_80"), without);
  std::string withLines = emit("sm_80", /*lineInfo=*/true);
  EXPECT_THAT(withLines, HasSubstr("\t.loc\t1 "));
  EXPECT_THAT(withLines, HasSubstr("\t.file\t1 \""));
  std::string rest;
  for (llvm::StringRef line : llvm::split(withLines, '\n'))
    if (!line.starts_with("\t.loc\t") && !line.starts_with("\t.file\t"))
      rest += (line + "\n").str();
  EXPECT_EQ(llvm::StringRef(rest).rtrim(), llvm::StringRef(without).rtrim());
}

TEST_F(Ptx, DoesNotDependOnThreads) {
  for (bool lineInfo : {false, true}) {
    parse("parts.mlir");
    std::string text = emit("sm_80", lineInfo, /*threads=*/1);
    EXPECT_EQ(numParts, 1U);
    parse("parts.mlir");
    EXPECT_EQ(emit("sm_80", lineInfo, /*threads=*/3), text);
    // Each kernel, and the short grids of the first.
    EXPECT_EQ(numParts, 3U);
    // The second kernel's function stands before it.
    EXPECT_LT(text.find(".entry first("), text.find(".func store_short("));
    EXPECT_LT(text.find(".entry first_combine("), text.find(".func store_second("));
    EXPECT_LT(text.find(".func store_second("), text.find(".entry second("));
    // Labels tell functions apart.
    EXPECT_THAT(text, HasSubstr("$L__BB1_2:"));
    EXPECT_LT(text.find("second_metadata"), text.find(".entry first("));
    EXPECT_EQ(text.find("\t.file\t2 \"library.attn\"") != std::string::npos, lineInfo);
  }
}

TEST_F(Ptx, LeavesTheModuleAsItWas) {
  parse("parts.mlir");
  std::string before = print();
  EXPECT_TRUE(translateParts(*module, *PtxTarget::get("sm_80"), /*threads=*/3).has_value());
  EXPECT_EQ(print(), before);
}

TEST_F(Ptx, CarriesItsMetadata) {
  EXPECT_THAT(emit("sm_80"), HasSubstr(".visible .global .align 1 .b8 copy_metadata["));
}

TEST_F(Ptx, KeepsInlineAssemblyConvergent) {
  std::unique_ptr<llvm::Module> ir =
      translateToLLVMIR(*module, llvmContext, *PtxTarget::get("sm_80"));
  int found = 0;
  for (llvm::Instruction &instruction : llvm::instructions(*ir->getFunction("copy")))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm()) {
      EXPECT_TRUE(call->isConvergent());
      ++found;
    }
  EXPECT_EQ(found, 1);
}

TEST_F(Ptx, DescribesItsKernels) {
  GpuKernel kernel = describeGpuKernel(module->lookupSymbol<mlir::LLVM::LLVMFuncOp>("copy"));
  EXPECT_EQ(kernel.info.name, "copy");
  EXPECT_EQ(kernel.queryBlock, 32);
  EXPECT_EQ(kernel.threads, 32);
  EXPECT_EQ(kernel.sharedBytes, 512);
}
