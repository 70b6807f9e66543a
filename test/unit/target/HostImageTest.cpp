//===- HostImageTest.cpp - Tests of images of host kernels ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Host/HostImage.h"
#include "attnc/CpuFeatures.h"
#include "attnc/KernelMetadata.h"
#include "compiler/Target/Host/HostCode.h"
#include "compiler/Target/Host/HostLevels.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "compiler/Target/KernelInfo/KernelMetadata.h"
#include "runtime/host/HostImage.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>

using namespace attnc;

namespace {
// Each stores a number of a table, which depends on the query, to the slots' first place.
const char *const source = R"llvm(
@table = private constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
define internal i64 @get(i64 %i) noinline {
  %p = getelementptr i64, ptr @table, i64 %i
  %v = load i64, ptr %p
  ret i64 %v
}
define void @one(ptr %slots, i64 %b, i64 %h, i64 %q, i64 %e, ptr %s) {
  %v = call i64 @get(i64 %q)
  %p = load ptr, ptr %slots
  store i64 %v, ptr %p
  ret void
}
define void @two(ptr %slots, i64 %b, i64 %h, i64 %q, i64 %e, ptr %s) {
  %v = call i64 @get(i64 %q)
  %w = add i64 %v, 1
  %p = load ptr, ptr %slots
  store i64 %w, ptr %p
  ret void
}
)llvm";

HostTarget getTarget() { return llvm::cantFail(HostTarget::get("x86-64")); }

llvm::json::Object getMetadata(const char *name, const std::string &feature) {
  KernelInfo info;
  info.name = name;
  info.headDim = info.valueDim = 8;
  llvm::json::Value value = toJSON(info);
  llvm::json::Object &object = *value.getAsObject();
  object["cpu"] = "x86-64";
  object["features"] = feature.empty() ? llvm::json::Array() : llvm::json::Array{feature};
  object["query_block"] = 64;
  object["scratch_bytes"] = 0;
  return std::move(object);
}

std::string compile(llvm::StringRef text, const std::string &feature = "") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str();
    return "";
  }
  HostTarget target = getTarget();
  std::unique_ptr<llvm::TargetMachine> machine = target.createTargetMachine();
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *module)
    function.addFnAttr(llvm::Attribute::NoUnwind);
  for (const char *name : {"one", "two"})
    if (module->getFunction(name))
      addMetadata(*module, name, getMetadata(name, feature));
  llvm::SmallVector<char> buffer;
  llvm::raw_svector_ostream os(buffer);
  emitHostCode(*module, target, llvm::CodeGenFileType::ObjectFile, os);
  return os.str().str();
}

/// The image of `text`, or what is wrong with it.
std::string linkImage(llvm::StringRef text, const std::string &feature = "") {
  std::string object = compile(text, feature), image;
  llvm::raw_string_ostream os(image);
  if (llvm::Error error = linkHostImage(llvm::MemoryBufferRef(object, ""), os))
    return llvm::toString(std::move(error));
  return image;
}

std::string load(const std::string &image) {
  std::vector<HostKernel> kernels;
  std::string error = loadHostImage(image, kernels).value_or("");
  EXPECT_EQ(error.empty(), !kernels.empty());
  return error;
}

/// The program headers of an image.
Elf64_Phdr *getSegments(std::string &image) {
  return reinterpret_cast<Elf64_Phdr *>(&image[sizeof(Elf64_Ehdr)]);
}
Elf64_Ehdr *getHeader(std::string &image) { return reinterpret_cast<Elf64_Ehdr *>(image.data()); }
} // namespace

TEST(HostImage, RunsInThisProcess) {
  std::vector<HostKernel> kernels;
  ASSERT_EQ(loadHostImage(linkImage(source), kernels), std::nullopt);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].info.name, "one");
  EXPECT_EQ(kernels[1].info.name, "two");
  EXPECT_EQ(kernels[1].queryBlock, 64);
  // The code outlives all but the last of them.
  HostKernel kernel = kernels[1];
  kernels.clear();
  int64_t result = 0;
  int64_t slots[] = {reinterpret_cast<intptr_t>(&result)};
  kernel.function(slots, 0, 0, /*qBegin=*/2, 3, nullptr);
  EXPECT_EQ(result, 31);
}

// No page of it is writable and executable, not even for a moment after loading.
TEST(HostImage, CodeCannotBeWritten) {
  std::vector<HostKernel> kernels;
  ASSERT_EQ(loadHostImage(linkImage(source), kernels), std::nullopt);
  uintptr_t code = reinterpret_cast<uintptr_t>(kernels[0].function);
  std::ifstream maps("/proc/self/maps");
  std::string line, permissions;
  while (std::getline(maps, line)) {
    uintptr_t begin = 0, end = 0;
    char text[5] = "";
    std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, text);
    if (code >= begin && code < end)
      permissions = text;
  }
  EXPECT_EQ(permissions, "r-xp");
}

namespace {
/// An image in which `one` is there for two CPUs: that of `feature` stores `number` + 1.
std::string linkLevels(const std::string &feature) {
  llvm::LLVMContext context;
  std::vector<HostLevel> levels;
  for (bool isFirst : {true, false}) {
    llvm::SMDiagnostic error;
    std::string text = std::string("define void @one(ptr %slots, i64 %b, i64 %h, i64 %q, i64 %e, "
                                   "ptr %s) {\n  %p = load ptr, ptr %slots\n  store i64 ") +
                       (isFirst ? "1" : "2") + ", ptr %p\n  ret void\n}\n";
    std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
    HostTarget target = llvm::cantFail(HostTarget::get(isFirst ? "x86-64" : "x86-64-v3"));
    std::unique_ptr<llvm::TargetMachine> machine = target.createTargetMachine();
    module->setTargetTriple(machine->getTargetTriple());
    module->setDataLayout(machine->createDataLayout());
    addMetadata(*module, "one", getMetadata("one", isFirst ? "" : feature));
    levels.push_back({target, std::move(module)});
  }
  HostTarget target = levels.front().target;
  std::unique_ptr<llvm::Module> all = joinLevels(std::move(levels));
  llvm::SmallVector<char> object;
  llvm::raw_svector_ostream os(object);
  emitHostCode(*all, target, llvm::CodeGenFileType::ObjectFile, os);
  std::string image;
  llvm::raw_string_ostream imageOs(image);
  EXPECT_FALSE(bool(linkHostImage(llvm::MemoryBufferRef(os.str(), ""), imageOs)));
  return image;
}

/// What the only kernel of the image stores.
int64_t runOnly(const std::string &image) {
  std::vector<HostKernel> kernels;
  EXPECT_EQ(loadHostImage(image, kernels), std::nullopt);
  EXPECT_EQ(kernels.size(), 1u);
  int64_t result = 0;
  int64_t slots[] = {reinterpret_cast<intptr_t>(&result)};
  if (!kernels.empty())
    kernels[0].function(slots, 0, 0, 0, 1, nullptr);
  return result;
}
} // namespace

// Of a kernel for several CPUs that is loaded which needs most of what this CPU has.
TEST(HostImage, LevelsOfCpus) {
  EXPECT_EQ(runOnly(linkLevels("sse3")), hasCpuFeature("sse3") ? 2 : 1);
  EXPECT_EQ(runOnly(linkLevels("never-heard-of")), 1);
}

TEST(HostImage, WhatAnImageCannotHaveIsAnInternalError) {
  const std::string prefix = "internal error, please report: ";
  EXPECT_EQ(linkImage("declare void @f()\ndefine void @one() {\n  call void @f()\n  ret void\n}\n"),
            prefix + "the code needs f from a library");
  EXPECT_EQ(
      linkImage("@x = global i64 1\ndefine void @one() {\n  store i64 2, ptr @x\n  ret void\n}\n"),
      prefix + "kernels have variables");
  EXPECT_EQ(linkImage("@x = global i64 1\n@y = constant ptr @x\n"),
            prefix + "kernels have variables");
}

TEST(HostImage, WhatIsWrongIsSaid) {
  const std::string image = linkImage(source);
  ASSERT_EQ(load(image), "");
  EXPECT_EQ(load(""), "expected an ELF shared object of 64 bits");
  EXPECT_EQ(load(compile(source)), "expected an ELF shared object of 64 bits");
  auto edited = [&](auto edit) {
    std::string copy = image;
    edit(copy);
    return load(copy);
  };
  EXPECT_EQ(edited([](std::string &s) { getHeader(s)->e_machine = EM_PPC64; }),
            "expected code for the machine 62 of ELF, which this one is, got 21");
  EXPECT_EQ(edited([](std::string &s) { getHeader(s)->e_phnum = 1000; }),
            "the program headers are not those of an image");
  EXPECT_EQ(edited([](std::string &s) { getHeader(s)->e_phoff = uint64_t(-8); }),
            "the program headers lie outside the file");
  EXPECT_EQ(edited([](std::string &s) { getHeader(s)->e_phnum = 0; }),
            "expected segments, got none");
  EXPECT_EQ(edited([](std::string &s) { getSegments(s)[1].p_flags |= PF_W; }),
            "a segment is writable and executable");
  EXPECT_EQ(edited([](std::string &s) { getSegments(s)[1].p_filesz = uint64_t(-1); }),
            "a segment lies outside the file");
  EXPECT_EQ(edited([](std::string &s) { getSegments(s)[1].p_vaddr = 0; }),
            "a segment lies where none can be");
  EXPECT_EQ(edited([](std::string &s) { getSegments(s)[1].p_memsz = uint64_t(1) << 40; }),
            "a segment lies where none can be");
  EXPECT_EQ(edited([](std::string &s) { getSegments(s)[3].p_type = PT_INTERP; }),
            "expected no interpreter and no thread-local data");
  EXPECT_EQ(edited([](std::string &s) { getSegments(s)[3].p_type = PT_NULL; }),
            "expected a table of symbols, got none");
  EXPECT_EQ(edited([](std::string &s) {
              auto *dynamic = reinterpret_cast<Elf64_Dyn *>(&s[getSegments(s)[3].p_offset]);
              dynamic[4].d_tag = DT_RELA;
            }),
            "expected an image that needs nothing, got an entry 7 in its dynamic section");
  EXPECT_EQ(edited([](std::string &s) { s.replace(s.find("one_metadata"), 3, "uno"); }), "");
  EXPECT_EQ(edited([](std::string &s) { s.replace(s.find("\"one\""), 5, "\"uno\""); }),
            "there is no function `uno`");
  EXPECT_EQ(edited([](std::string &s) { s.replace(s.find("\"dtype\""), 7, "\"dtipo\""); }),
            "`one_metadata`: expected a member `dtype`");
  EXPECT_EQ(load(linkImage("define void @three() {\n  ret void\n}\n")),
            "expected kernels made by attnc, found no metadata");
  EXPECT_EQ(load(linkImage(source, "never-heard-of")),
            "`one`: this machine cannot run code for the CPU `x86-64`: it lacks "
            "never-heard-of");
}

// Whatever byte of it is lost or another, loading ends with a message or kernels.
TEST(HostImage, AnyBytesAreSafe) {
  for (const std::string &image : {linkImage(source), linkLevels("sse3")}) {
    for (size_t i = 0; i < image.size(); ++i)
      for (int mask : {0x01, 0x80, 0xff}) {
        // Between the sections there is nothing to change.
        if (image[i] == 0 && mask == 0x80)
          continue;
        std::string other = image;
        other[i] = static_cast<char>(other[i] ^ mask);
        std::vector<HostKernel> kernels;
        loadHostImage(other, kernels);
      }
    for (size_t i = 0; i < image.size(); i += 7) {
      std::vector<HostKernel> kernels;
      loadHostImage(image.substr(0, i), kernels);
    }
  }
}
