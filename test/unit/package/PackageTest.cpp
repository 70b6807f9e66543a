//===- PackageTest.cpp - Tests of packages --------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/package/Package.h"
#include "runtime/cache/Sha256.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace attnc;

namespace {
/// The places of docs/abi.md.
enum : size_t {
  VersionPlace = 8,
  CountPlace = 12,
  FileBytesPlace = 16,
  IndexBytesPlace = 24,
  DigestPlace = 32,
  EntriesPlace = 96,
  EntryBytes = 112,
  // In an entry.
  OffsetPlace = 0,
  SizePlace = 8,
  FormPlace = 80,
  ProgramPlace = 84,
};

std::vector<PackagedCode> getCodes() {
  return {{"gemma2", CodeForm::HostImage, "x86-64", "", "baseline", ""},
          {"gemma2", CodeForm::HostImage, "x86-64-v3", "avx2,fma", "vectors", ""},
          {"gemma2", CodeForm::Ptx, "sm_80", "", ".version 7.0\n", ""},
          {"alibi", CodeForm::Cubin, "sm_90a", "", "", ""}};
}

std::string read(const std::string &bytes) {
  Package package;
  std::string error = Package::read(bytes, package).value_or("");
  EXPECT_EQ(error.empty(), !package.getCodes().empty());
  return error;
}

template <typename T> void put(std::string &bytes, size_t place, T value) {
  std::memcpy(&bytes[place], &value, sizeof value);
}

template <typename T> T get(const std::string &bytes, size_t place) {
  T value;
  std::memcpy(&value, &bytes[place], sizeof value);
  return value;
}

/// Gives the index the checksum that belongs to it, as someone who wants it to be read would.
void seal(std::string &bytes) {
  std::string index = bytes.substr(EntriesPlace, get<uint64_t>(bytes, IndexBytesPlace));
  bytes.replace(DigestPlace, 64, getSha256(bytes.substr(0, DigestPlace) + index));
}

/// What is wrong with a package in which the entry `entry` has `value` at `place`.
template <typename T> std::string readEdited(size_t entry, size_t place, T value) {
  std::string bytes = writePackage(getCodes());
  put(bytes, EntriesPlace + entry * EntryBytes + place, value);
  seal(bytes);
  return read(bytes);
}
} // namespace

TEST(Package, HasWhatWasWritten) {
  std::string bytes = writePackage(getCodes());
  EXPECT_TRUE(isPackage(bytes));
  Package package;
  ASSERT_EQ(Package::read(bytes, package), std::nullopt);
  ASSERT_EQ(package.getCodes().size(), 4u);
  std::vector<PackagedCode> expected = getCodes();
  for (size_t i = 0; i < 4; ++i) {
    const PackagedCode &code = package.getCodes()[i];
    EXPECT_EQ(code.program, expected[i].program);
    EXPECT_EQ(code.form, expected[i].form);
    EXPECT_EQ(code.target, expected[i].target);
    EXPECT_EQ(code.features, expected[i].features);
    EXPECT_EQ(code.bytes, expected[i].bytes);
    EXPECT_EQ((code.bytes.data() - bytes.data()) % 64, 0);
    EXPECT_EQ(checkDigest(code), std::nullopt);
  }
  EXPECT_EQ(package.getPrograms(), (std::vector<std::string_view>{"gemma2", "alibi"}));
  EXPECT_EQ(listCodes(package.getCodesOf("gemma2")),
            "a host image for x86-64, a host image for x86-64-v3, PTX for sm_80");
  EXPECT_EQ(listCodes(package.getCodesOf("alibi")), "a cubin for sm_90a");
  EXPECT_TRUE(package.getCodesOf("other").empty());
}

// Nearly as many as an index has room for, which must not be compared each with each.
TEST(Package, ManyPrograms) {
  std::vector<std::string> names;
  for (int i = 0; i < 130000; ++i)
    names.push_back(std::to_string(i));
  std::vector<PackagedCode> codes;
  for (const std::string &name : names)
    codes.push_back({name, CodeForm::Ptx, "sm_80", "", "", ""});
  std::string bytes = writePackage(codes);
  Package package;
  ASSERT_EQ(Package::read(bytes, package), std::nullopt);
  EXPECT_EQ(package.getPrograms(), std::vector<std::string_view>(names.begin(), names.end()));
}

TEST(Package, WhatIsWrongIsSaid) {
  std::string bytes = writePackage(getCodes());
  EXPECT_EQ(read(""), "expected a package");
  EXPECT_EQ(read("attnpkg\n"), "expected a package");
  EXPECT_EQ(read(writePackage({})), "expected kernels in the package, got none");
  EXPECT_EQ(read(bytes + "x"), "expected a package of " + std::to_string(bytes.size()) +
                                   " bytes, got " + std::to_string(bytes.size() + 1));
  auto edited = [&](size_t place, auto value) {
    std::string copy = bytes;
    put(copy, place, value);
    return read(copy);
  };
  EXPECT_EQ(edited(VersionPlace, 2),
            "expected a package of version 1, got 2, which needs a later runtime");
  EXPECT_EQ(edited(CountPlace, uint32_t(-1)), "the index of the package lies outside it");
  EXPECT_EQ(edited(IndexBytesPlace, uint64_t(-1)), "the index of the package lies outside it");
  EXPECT_EQ(edited(IndexBytesPlace, uint64_t(bytes.size())),
            "the index of the package lies outside it");
  EXPECT_EQ(edited(CountPlace, uint32_t(3)),
            "the index of the package is damaged: its checksum differs");
}

// Whoever makes a checksum that fits gets no further.
TEST(Package, IndicesThatAreMadeUp) {
  EXPECT_EQ(readEdited(0, OffsetPlace, uint64_t(-1)), "entry 0 of the package lies outside it");
  EXPECT_EQ(readEdited(1, OffsetPlace, uint64_t(1) << 63),
            "entry 1 of the package lies outside it");
  EXPECT_EQ(readEdited(3, SizePlace, uint64_t(-1)), "entry 3 of the package lies outside it");
  EXPECT_EQ(readEdited(0, OffsetPlace, uint64_t(8)),
            "entry 0 of the package overlaps what lies before it");
  EXPECT_EQ(readEdited(0, SizePlace, uint64_t(100)),
            "entry 1 of the package overlaps what lies before it");
  EXPECT_EQ(readEdited(2, ProgramPlace, uint32_t(-1)), "entry 2 of the package has no names");
  EXPECT_EQ(readEdited(2, ProgramPlace + 4, uint32_t(-1)), "entry 2 of the package has no names");
  EXPECT_EQ(readEdited(2, ProgramPlace + 4, uint32_t(0)), "entry 2 of the package has no names");
  std::vector<PackagedCode> codes = getCodes();
  codes[0].program = "a\x1b[31m";
  EXPECT_EQ(read(writePackage(codes)), "entry 0 of the package has no names");
}

TEST(Package, FormsThatCameLaterArePassedOver) {
  std::string bytes = writePackage(getCodes());
  put(bytes, EntriesPlace + FormPlace, uint32_t(77));
  seal(bytes);
  Package package;
  ASSERT_EQ(Package::read(bytes, package), std::nullopt);
  EXPECT_EQ(listCodes(package.getCodesOf("gemma2")), "a host image for x86-64-v3, PTX for sm_80");
}

TEST(Package, CodeThatIsDamaged) {
  std::string bytes = writePackage(getCodes());
  bytes[bytes.find("baseline")] ^= 1;
  Package package;
  ASSERT_EQ(Package::read(bytes, package), std::nullopt);
  EXPECT_EQ(checkDigest(package.getCodes()[0]),
            "a host image for x86-64 of `gemma2` is damaged: its checksum differs");
  EXPECT_EQ(checkDigest(package.getCodes()[1]), std::nullopt);
}

// Whatever is lost or another, reading ends with a message or with views inside the bytes.
TEST(Package, AnyBytesAreSafe) {
  const std::string bytes = writePackage(getCodes());
  auto expectInside = [](const std::string &file) {
    Package package;
    if (Package::read(file, package))
      return;
    for (const PackagedCode &code : package.getCodes())
      for (std::string_view text : {code.program, code.target, code.features, code.bytes}) {
        ASSERT_GE(text.data(), file.data());
        ASSERT_LE(text.data() + text.size(), file.data() + file.size());
      }
  };
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(read(bytes.substr(0, size)), "");
  size_t indexEnd = EntriesPlace + get<uint64_t>(bytes, IndexBytesPlace);
  for (size_t i = 0; i < indexEnd; ++i)
    for (int mask : {0x01, 0x40, 0x80, 0xff}) {
      std::string other = bytes;
      other[i] = static_cast<char>(other[i] ^ mask);
      EXPECT_NE(read(other), "");
      // The same with a checksum that fits.
      bool isIndexThere = get<uint64_t>(other, IndexBytesPlace) <= other.size() - EntriesPlace;
      if (i >= DigestPlace && i < EntriesPlace)
        continue;
      if (isIndexThere)
        seal(other);
      expectInside(other);
    }
}
