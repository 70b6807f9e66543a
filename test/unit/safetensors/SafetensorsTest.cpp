//===- SafetensorsTest.cpp - Tests of safetensors files ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/safetensors/Safetensors.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace attnc;
using namespace attnc::safetensors;
namespace fs = std::filesystem;

namespace {
/// A folder of its own that disappears with the test.
class SafetensorsFile : public testing::Test {
protected:
  void SetUp() override {
    folder =
        fs::temp_directory_path() / ("attnc-safetensors-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directory(folder);
    path = (folder / "x.safetensors").string();
  }
  void TearDown() override { fs::remove_all(folder); }

  void writeBytes(const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

  /// A file of this header, with its true length in front.
  void writeFile(const std::string &header, const std::string &data) {
    std::string length(8, '\0');
    for (int i = 0; i < 8; ++i)
      length[i] = static_cast<char>(header.size() >> (8 * i));
    writeBytes(length + header + data);
  }

  std::string openError() {
    Reader reader;
    auto error = reader.open(path);
    return error ? error->message.substr(error->message.find(": ") + 2) : "";
  }

  fs::path folder;
  std::string path;
};
} // namespace

TEST_F(SafetensorsFile, ComesBackAsWritten) {
  float numbers[6] = {1, 2, 3, 4, 5, 6};
  int64_t scalar = -7;
  std::vector<std::pair<std::string, TensorView>> tensors = {
      {"o", {numbers, ElementType::F32, {2, 3}, {3, 1}}},
      {"n", {&scalar, ElementType::I64, {}, {}}},
      {"empty", {nullptr, ElementType::BF16, {0, 4}, {4, 1}}}};
  ASSERT_FALSE(safetensors::write(path, tensors));
  Reader reader;
  auto error = reader.open(path);
  ASSERT_FALSE(error) << error->message;
  ASSERT_EQ(reader.getEntries().size(), 3U);
  const Entry *o = reader.find("o");
  ASSERT_TRUE(o);
  float back[6] = {};
  ASSERT_FALSE(reader.read(*o, reinterpret_cast<char *>(back)));
  EXPECT_TRUE(std::equal(back, back + 6, numbers));
  int64_t scalarBack = 0;
  ASSERT_FALSE(reader.read(*reader.find("n"), reinterpret_cast<char *>(&scalarBack)));
  EXPECT_EQ(scalarBack, -7);
  EXPECT_FALSE(reader.find("p"));
}

TEST_F(SafetensorsFile, AnOldFileIsReplacedAndNothingElseIsLeft) {
  writeBytes("old");
  ASSERT_FALSE(safetensors::write(path, {}));
  EXPECT_EQ(openError(), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(SafetensorsFile, AFileThatCannotBeWrittenIsNamed) {
  auto error = safetensors::write((folder / "none" / "x").string(), {});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, Error::Environment);
  EXPECT_EQ(error->message,
            (folder / "none" / "x").string() + ": cannot create: No such file or directory");
}

TEST_F(SafetensorsFile, AFileThatCannotBeReadIsNamed) {
  Reader reader;
  auto error = reader.open(path);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, Error::Environment);
  EXPECT_EQ(error->message, path + ": cannot open: No such file or directory");
  Reader other;
  error = other.open(folder.string());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, folder.string() + ": expected a regular file");
}

TEST_F(SafetensorsFile, ShortFiles) {
  writeBytes("");
  EXPECT_EQ(openError(),
            "not a safetensors file: expected 8 bytes with the header's length, got 0");
  writeBytes(std::string("\x20\0\0\0\0\0\0\0{}", 10));
  EXPECT_EQ(openError(),
            "not a safetensors file: a header of 32 bytes is announced, but only 2 follow");
  writeBytes(std::string(8, '\xff') + "{}");
  EXPECT_EQ(openError(), "not a safetensors file: a header of 18446744073709551615 bytes is "
                         "announced, but only 2 follow");
}

TEST_F(SafetensorsFile, TruncatedData) {
  writeFile(R"({"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})", "1234567");
  EXPECT_EQ(openError(), "not a safetensors file: `x`: its data stands at bytes 0 to 8, but the "
                         "file holds only 7 bytes of data");
}

TEST_F(SafetensorsFile, HolesOfASparseFileAreZero) {
  constexpr size_t size = 3 << 20;
  writeFile(R"({"t":{"dtype":"U8","shape":[3145728],"data_offsets":[0,3145728]}})", "");
  auto start = static_cast<std::streamoff>(fs::file_size(path));
  fs::resize_file(path, start + size);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(start + 5) << 'a';
    file.seekp(start + (2 << 20)) << 'b';
  }
  Reader reader;
  ASSERT_FALSE(reader.open(path));
  std::vector<char> data(size), expected(size);
  ASSERT_FALSE(reader.read(*reader.find("t"), data.data()));
  expected[5] = 'a';
  expected[2 << 20] = 'b';
  EXPECT_EQ(data, expected);
}

TEST_F(SafetensorsFile, BoolsAreZeroOrOne) {
  writeFile(R"({"m": {"dtype": "BOOL", "shape": [3], "data_offsets": [0, 3]}})",
            std::string("\1\0\2", 3));
  Reader reader;
  ASSERT_FALSE(reader.open(path));
  char data[3];
  auto error = reader.read(*reader.find("m"), data);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, Error::Content);
  EXPECT_EQ(error->message, path + ": `m`: expected bools stored as 0 or 1, got 2 at element 2");
}
