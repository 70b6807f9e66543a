//===- CompileTest.cpp - From programs to verified kernels ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Frontend.h"
#include "compiler/Frontend/fuzz/TokenMutator.h"
#include "dialect/Attn/IR/AttnOps.h"
#include "mlir/IR/Verifier.h"
#include "test/unit/Frontend/Mutator.h"
#include "test/unit/Frontend/SyntaxTree.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace attnc;
using namespace attnc::test;

namespace {
/// One compilation with what it says.
struct Compiled {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  FrontendResult result;
  std::string messages;

  explicit Compiled(const std::string &text, FrontendOptions options = {}) {
    const SourceFile &file = sources.add("test.attn", text);
    result = compileToAttn(file, options, sources, diagnostics, context);
    llvm::raw_string_ostream os(messages);
    diagnostics.printText(os);
    for (const std::string &error : result.usageErrors)
      os << error << "\n";
  }

  std::vector<attn::KernelOp> getKernels() {
    auto kernels = result.module->getOps<attn::KernelOp>();
    return {kernels.begin(), kernels.end()};
  }
};

std::string read(const std::string &path) { return readFile(std::string(path)); }
} // namespace

TEST(Compile, EveryGoldenCase) {
  unsigned count = 0;
  for (const std::string &variant : findVariants("test/goldens")) {
    std::string folder = variant.substr(0, variant.rfind('/'));
    FrontendOptions options;
    auto json = llvm::json::parse(read(folder + "/case.json"));
    ASSERT_TRUE(static_cast<bool>(json)) << folder;
    for (const auto &[name, value] : *json->getAsObject()->getObject("defines")) {
      std::string text;
      llvm::raw_string_ostream(text) << value;
      options.defines.push_back(name.str() + "=" + text);
    }
    Compiled compiled(read(variant), options);
    EXPECT_TRUE(compiled.result.module) << variant << "\n" << compiled.messages;
    ++count;
  }
  EXPECT_GE(count, 70u);
}

TEST(Compile, EveryOpHasThePlaceOfTheUser) {
  std::string text = "cap: f32\n\nscore_mod = compose(alibi, softcap(cap))\n"
                     "mask_mod = and_masks(causal, dilated_window(8, 2))\n";
  Compiled compiled(text);
  ASSERT_TRUE(compiled.result.module) << compiled.messages;
  compiled.result.module->walk([](mlir::Operation *op) {
    auto range = mlir::dyn_cast<mlir::FileLineColRange>(op->getLoc());
    ASSERT_TRUE(range) << op->getName().getStringRef().str();
    EXPECT_EQ(range.getFilename().getValue(), "test.attn");
  });
}

TEST(Compile, OneKernelForEachShape) {
  FrontendOptions options;
  options.name = "my variant";
  options.shapes = {{ElementType::F32, 64, 64}, {ElementType::BF16, 192, 128}};
  options.lse = true;
  Compiled compiled("def score_mod(s, b, h, q, k):\n    return s * D + Dv\n", options);
  ASSERT_TRUE(compiled.result.module) << compiled.messages;
  std::vector<attn::KernelOp> kernels = compiled.getKernels();
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].getSymName(), "my_variant_f32_d64");
  EXPECT_EQ(kernels[1].getSymName(), "my_variant_bf16_d192x128");
  EXPECT_EQ(kernels[1].getValueDim(), 128);
  EXPECT_TRUE(kernels[0].getLse());
}

TEST(Compile, DeclarationsStayThoughUnused) {
  Compiled compiled("t: f32[Hq, N]\ncap: f32\nw: i8[2] = [1, -1]\nunused: i32 = 3\n");
  ASSERT_TRUE(compiled.result.module) << compiled.messages;
  attn::KernelOp kernel = compiled.getKernels()[0];
  EXPECT_TRUE(kernel.lookupCapture("t"));
  EXPECT_TRUE(kernel.lookupScalar("cap"));
  EXPECT_TRUE(kernel.lookupTable("w"));
  EXPECT_FALSE(kernel.getScore());
  EXPECT_FALSE(kernel.getMask());
}

TEST(Compile, ScaleIsConstantOrArgument) {
  Compiled constant("scale: f32 = 0.5\n"), negative("scale = -1\n"), argument("scale: f32\n");
  EXPECT_EQ(constant.getKernels()[0].getStaticScale(), 0.5f);
  EXPECT_EQ(negative.getKernels()[0].getStaticScale(), -1.0f);
  EXPECT_TRUE(argument.getKernels()[0].getScaleArgument());
}

TEST(Compile, DefinesThatDoNotFitAreUsageErrors) {
  struct Case {
    std::string define, message;
  };
  std::string text = "window: i8 = 4\ncap: f32\nuse = True\nt: i32[2] = [1, 2]\ndims = (8, 16)\n";
  for (const Case &wrong : std::vector<Case>{
           {"window=2.5", "expected a value of type `i8`, got a float"},
           {"window=300", "`i8` holds -128 to 127"},
           {"window=big", "expected a number, a bool or a list"},
           {"windw=3", "did you mean `window`?"},
           {"cap=2.0", "`cap` is a launch argument"},
           {"use=1", "`use` is a bool, got an int"},
           {"dims=3", "`dims` is a tuple of 2, got an int"},
       }) {
    FrontendOptions options;
    options.defines = {wrong.define};
    Compiled compiled(text, options);
    EXPECT_FALSE(compiled.result.module) << wrong.define;
    EXPECT_NE(compiled.messages.find(wrong.message), std::string::npos)
        << wrong.define << ": " << compiled.messages;
  }
  FrontendOptions options;
  options.defines = {"window=-7", "use=false", "t=[3, 4]", "dims=(1, 2)"};
  Compiled compiled(text, options);
  EXPECT_TRUE(compiled.result.module) << compiled.messages;
}

TEST(Compile, ApproximationOfOneBuiltin) {
  FrontendOptions options;
  options.approximate = {"tanh"};
  Compiled compiled("def score_mod(s, b, h, q, k):\n    return tanh(s) + exp(s)\n", options);
  std::string text;
  llvm::raw_string_ostream os(text);
  compiled.result.module->print(os);
  EXPECT_NE(text.find("math.tanh %score fastmath<afn>"), std::string::npos) << text;
  EXPECT_NE(text.find("math.exp %score :"), std::string::npos) << text;
  options.approximate = {"tanhh"};
  EXPECT_FALSE(Compiled("", options).result.module);
}

// Each turn of a loop comes to the same mistakes; what was meant is looked for once.
TEST(Compile, MistakesInALongLoop) {
  std::string name(90, 'w');
  Compiled compiled("def score_mod(score, b, h, q_idx, " + name +
                    "):\n"
                    "    for i in range(64000):\n"
                    "        " +
                    name +
                    "s\n"
                    "        torch.tanhh(score)\n"
                    "        score.absolut\n"
                    "    return score\n");
  EXPECT_EQ(compiled.diagnostics.getSorted().size(), 3u) << compiled.messages;
}

// A short, repeatable replay of what the compile fuzzer does.
TEST(Compile, StandsAnyText) {
  static constexpr unsigned mutationsPerFile = 25;
  std::vector<std::string> corpus;
  for (const std::string &file : findVariants("test"))
    corpus.push_back(readFile(file));
  ASSERT_FALSE(corpus.empty());
  Mutator mutator(corpus);
  TokenMutator tokenMutator(/*seed=*/20240229);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  unsigned compiledCount = 0, count = 0;
  for (const std::string &text : corpus)
    for (unsigned i = 0; i < mutationsPerFile; ++i) {
      std::string changed = i % 2 ? mutator.mutate(text) : tokenMutator.mutate(text);
      SourceManager sources;
      DiagnosticEngine diagnostics(sources);
      FrontendResult result = compileToAttn(sources.add("test.attn", changed), FrontendOptions(),
                                            sources, diagnostics, context);
      std::string messages;
      llvm::raw_string_ostream os(messages);
      diagnostics.printText(os);
      diagnostics.printJSON(os);
      ++count;
      if (!result.module) {
        EXPECT_FALSE(messages.empty()) << changed;
        continue;
      }
      ++compiledCount;
      EXPECT_TRUE(mlir::succeeded(mlir::verify(*result.module))) << changed;
    }
  // Some changes leave a program whole.
  EXPECT_GT(compiledCount, count / 20);
}
