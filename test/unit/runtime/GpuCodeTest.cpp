//===- GpuCodeTest.cpp - Tests of reading PTX and cubins ------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/GpuCode.h"
#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>

using namespace attnc;

namespace {
std::string getMetadata(const std::string &name, const std::string &arch,
                        const std::string &scalars = "") {
  return R"({"version":1,"name":")" + name + R"(","arch":")" + arch +
         R"(","dtype":"bf16","head_dim":64,"value_dim":64,"scale":1,"lse":false,"checked":false,)"
         R"("extents":[],"captures":[],"scalars":[)" +
         scalars +
         R"(],"requirements":[],"tensors":[],"query_block":32,"threads":32,"shared_bytes":0})";
}

std::string makePtx(const std::vector<std::string> &all) {
  std::string ptx = "// a comment\n.version 8.0\n.target sm_80\n";
  for (const std::string &metadata : all) {
    ptx += ".visible .global .align 1 .b8 k" + std::to_string(ptx.size()) + "_metadata[" +
           std::to_string(metadata.size() + 1) + "] = {";
    for (char c : metadata)
      ptx += std::to_string(static_cast<unsigned char>(c)) + ", ";
    ptx += "0};\n";
  }
  return ptx;
}

template <typename T> void append(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// An ELF file of CUDA with one section of data, in which the metadata of one kernel lies.
std::string makeCubin(const std::string &metadata) {
  const std::string names("\0k_metadata\0other\0", 18), data = "1234" + metadata + '\0';
  Elf64_Sym symbols[3] = {};
  symbols[1].st_name = 1;
  symbols[1].st_shndx = 1;
  symbols[1].st_value = 4;
  symbols[1].st_size = metadata.size() + 1;
  symbols[2].st_name = 12;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_machine = 190;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  header.e_shoff = sizeof header + sizeof symbols + names.size() + data.size();
  Elf64_Shdr sections[4] = {};
  sections[1].sh_offset = sizeof header + sizeof symbols + names.size();
  sections[1].sh_size = data.size();
  sections[2].sh_type = SHT_SYMTAB;
  sections[2].sh_offset = sizeof header;
  sections[2].sh_size = sizeof symbols;
  sections[2].sh_link = 3;
  sections[3].sh_type = SHT_STRTAB;
  sections[3].sh_offset = sizeof header + sizeof symbols;
  sections[3].sh_size = names.size();
  std::string bytes;
  append(bytes, header);
  append(bytes, symbols);
  bytes += names + data;
  append(bytes, sections);
  return bytes;
}

std::string read(const std::string &bytes) {
  GpuCode code;
  return readGpuCode(bytes, code).value_or("");
}
} // namespace

TEST(GpuCode, Ptx) {
  GpuCode code;
  ASSERT_EQ(readGpuCode(makePtx({getMetadata("a", "sm_80"), getMetadata("b", "sm_80")}), code),
            std::nullopt);
  EXPECT_FALSE(code.isCubin);
  EXPECT_EQ(code.arch, "sm_80");
  ASSERT_EQ(code.kernels.size(), 2u);
  EXPECT_EQ(code.kernels[1].info.name, "b");
}

TEST(GpuCode, Cubin) {
  GpuCode code;
  ASSERT_EQ(readGpuCode(makeCubin(getMetadata("a", "sm_90a")), code), std::nullopt);
  EXPECT_TRUE(code.isCubin);
  EXPECT_EQ(code.arch, "sm_90a");
  ASSERT_EQ(code.kernels.size(), 1u);
  EXPECT_EQ(code.kernels[0].info.headDim, 64);
}

TEST(GpuCode, WhatIsWrongIsSaid) {
  EXPECT_EQ(read("text"), "expected PTX or a cubin");
  EXPECT_EQ(read(makePtx({})), "expected kernels made by attnc, found no metadata");
  EXPECT_EQ(read(makePtx({"[]"})), "`k40_metadata`: expected an object");
  std::string two = makePtx({getMetadata("a", "sm_80"), getMetadata("b", "sm_90")});
  EXPECT_NE(read(two).find("expected the architecture sm_80 of the other kernels, got sm_90"),
            std::string::npos);
  std::string scalars;
  for (int i = 0; i < 600; ++i)
    scalars += (i ? "," : "") + (R"({"name":"s)" + std::to_string(i)) + R"(","type":"f32"})";
  EXPECT_NE(read(makePtx({getMetadata("a", "sm_80", scalars)}))
                .find("expected launch arguments of at most 4072 bytes"),
            std::string::npos);
  EXPECT_EQ(read(makeCubin("{")), "`k_metadata`: expected JSON");
}

// Whatever byte of it is lost or another, reading ends with a message or kernels.
TEST(GpuCode, AnyBytesAreSafe) {
  for (const std::string &bytes :
       {makeCubin(getMetadata("a", "sm_80")), makePtx({getMetadata("a", "sm_80")})})
    for (size_t i = 0; i < bytes.size(); ++i)
      for (int mask : {0x01, 0x80, 0xff}) {
        std::string other = bytes;
        other[i] = static_cast<char>(other[i] ^ mask);
        read(other);
        read(bytes.substr(0, i));
      }
}

TEST(GpuCode, GpusThatRunIt) {
  auto check = [](const char *arch, bool isCubin, int major, int minor) {
    GpuCode code;
    code.arch = arch;
    code.isCubin = isCubin;
    return checkArch(code, major, minor).value_or("");
  };
  EXPECT_EQ(check("sm_80", false, 8, 0), "");
  EXPECT_EQ(check("sm_80", false, 8, 9), "");
  EXPECT_EQ(check("sm_80", false, 12, 0), "");
  EXPECT_EQ(check("sm_86", false, 8, 0),
            "the PTX is for sm_86 and later, the GPU has compute capability 8.0");
  EXPECT_EQ(check("sm_80", true, 8, 6), "");
  EXPECT_EQ(check("sm_80", true, 9, 0), "the cubin is for sm_80 and later of its generation, the "
                                        "GPU has compute capability 9.0");
  EXPECT_EQ(check("sm_89", true, 8, 6), "the cubin is for sm_89 and later of its generation, the "
                                        "GPU has compute capability 8.6");
  EXPECT_EQ(check("sm_120", true, 12, 0), "");
  for (bool isCubin : {false, true}) {
    EXPECT_EQ(check("sm_90a", isCubin, 9, 0), "");
    EXPECT_EQ(check("sm_90a", isCubin, 10, 0),
              "the " + std::string(isCubin ? "cubin" : "PTX") +
                  " is for sm_90a alone, the GPU has compute capability 10.0");
  }
  for (const char *arch : {"", "sm_", "sm_x", "sm_80b", "gfx90", "sm_0"})
    EXPECT_EQ(check(arch, false, 8, 0),
              "the code is for `" + std::string(arch) + "`, which this version does not know");
}
