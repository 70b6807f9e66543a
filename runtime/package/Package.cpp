//===- Package.cpp - Kernels of several programs and targets --------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/package/Package.h"
#include "runtime/cache/Sha256.h"
#include <algorithm>
#include <cstring>
#include <unordered_set>

using namespace attnc;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packages are little-endian");

namespace {
using Error = std::optional<std::string>;

constexpr std::string_view magic = "attnpkg\n";
constexpr uint32_t packageVersion = 1;
constexpr size_t digestBytes = 64; ///< hexadecimal digits
constexpr uint64_t codeAlignment = 64;
/// Indices and the texts in them stay far below these.
constexpr uint64_t maxIndexBytes = 1 << 24;
constexpr uint32_t maxTextBytes = 1024;

/// The beginning of a package. The digest is that of the members before it and of the index.
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t count;      ///< of the entries
  uint64_t fileBytes;  ///< of all
  uint64_t indexBytes; ///< of the entries, which follow the header, and of texts behind them
  char digest[digestBytes];
};

/// A text, by its place in the texts of the index.
struct TextRange {
  uint32_t offset, size;
};

struct Entry {
  uint64_t offset, size; ///< of the code, in the file
  char digest[digestBytes];
  uint32_t form;
  TextRange program, target, features;
  uint32_t zero;
};

static_assert(sizeof(Header) == 96 && sizeof(Entry) == 112, "there is no padding");

/// The digest that a header and an index have.
std::string getIndexDigest(std::string_view header, std::string_view index) {
  return getSha256(std::string(header.substr(0, offsetof(Header, digest))) + std::string(index));
}

template <typename T> T readStruct(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Sets `text` to what `range` is of `texts`; false if it is not inside, or cannot be shown.
bool readText(std::string_view texts, TextRange range, std::string_view &text) {
  if (range.offset > texts.size() || range.size > texts.size() - range.offset ||
      range.size > maxTextBytes)
    return false;
  text = texts.substr(range.offset, range.size);
  return std::none_of(text.begin(), text.end(), [](char c) {
    constexpr unsigned char space = 0x20, del = 0x7f;
    auto byte = static_cast<unsigned char>(c);
    return byte < space || byte == del;
  });
}
} // namespace

std::string PackagedCode::describe() const {
  const char *what = form == CodeForm::HostImage ? "a host image"
                     : form == CodeForm::Ptx     ? "PTX"
                                                 : "a cubin";
  return std::string(what) + " for " + std::string(target);
}

bool attnc::isPackage(std::string_view bytes) { return bytes.substr(0, magic.size()) == magic; }

Error Package::read(std::string_view bytes, Package &package) {
  if (!isPackage(bytes) || bytes.size() < sizeof(Header))
    return "expected a package";
  auto header = readStruct<Header>(bytes, 0);
  if (header.version != packageVersion)
    return "expected a package of version " + std::to_string(packageVersion) + ", got " +
           std::to_string(header.version) + ", which needs a later runtime";
  if (header.fileBytes != bytes.size())
    return "expected a package of " + std::to_string(header.fileBytes) + " bytes, got " +
           std::to_string(bytes.size());
  if (header.indexBytes > std::min<uint64_t>(bytes.size() - sizeof(Header), maxIndexBytes) ||
      header.count > header.indexBytes / sizeof(Entry))
    return "the index of the package lies outside it";
  std::string_view index = bytes.substr(sizeof(Header), header.indexBytes);
  if (getIndexDigest(bytes, index) != std::string_view(header.digest, digestBytes))
    return "the index of the package is damaged: its checksum differs";
  std::string_view texts = index.substr(header.count * sizeof(Entry));
  std::vector<PackagedCode> codes;
  uint64_t end = sizeof(Header) + header.indexBytes;
  for (uint32_t i = 0; i < header.count; ++i) {
    auto entry = readStruct<Entry>(index, i * sizeof(Entry));
    std::string prefix = "entry " + std::to_string(i) + " of the package ";
    PackagedCode code;
    if (!readText(texts, entry.program, code.program) ||
        !readText(texts, entry.target, code.target) ||
        !readText(texts, entry.features, code.features) || code.program.empty() ||
        code.target.empty())
      return prefix + "has no names";
    if (entry.offset > bytes.size() || entry.size > bytes.size() - entry.offset)
      return prefix + "lies outside it";
    if (entry.offset < end)
      return prefix + "overlaps what lies before it";
    end = entry.offset + entry.size;
    if (entry.form < static_cast<uint32_t>(CodeForm::HostImage) ||
        entry.form > static_cast<uint32_t>(CodeForm::Cubin))
      continue;
    code.form = static_cast<CodeForm>(entry.form);
    code.bytes = bytes.substr(entry.offset, entry.size);
    code.digest = index.substr(i * sizeof(Entry) + offsetof(Entry, digest), digestBytes);
    codes.push_back(code);
  }
  if (codes.empty())
    return "expected kernels in the package, got none";
  package.codes = std::move(codes);
  return std::nullopt;
}

std::vector<std::string_view> Package::getPrograms() const {
  std::vector<std::string_view> names;
  std::unordered_set<std::string_view> known;
  for (const PackagedCode &code : codes)
    if (known.insert(code.program).second)
      names.push_back(code.program);
  return names;
}

std::vector<PackagedCode> Package::getCodesOf(std::string_view program) const {
  std::vector<PackagedCode> found;
  std::copy_if(codes.begin(), codes.end(), std::back_inserter(found),
               [&](const PackagedCode &code) { return code.program == program; });
  return found;
}

Error attnc::checkDigest(const PackagedCode &code) {
  if (getSha256(code.bytes) == code.digest)
    return std::nullopt;
  return code.describe() + " of `" + std::string(code.program) +
         "` is damaged: its checksum differs";
}

std::string attnc::listCodes(const std::vector<PackagedCode> &codes) {
  std::string text;
  for (const PackagedCode &code : codes)
    text += (text.empty() ? "" : ", ") + code.describe();
  return text;
}

std::string attnc::writePackage(const std::vector<PackagedCode> &codes) {
  std::vector<Entry> entries;
  std::string texts;
  auto addText = [&](std::string_view text) {
    TextRange range{static_cast<uint32_t>(texts.size()), static_cast<uint32_t>(text.size())};
    texts += text;
    return range;
  };
  for (const PackagedCode &code : codes) {
    Entry &entry = entries.emplace_back();
    entry.form = static_cast<uint32_t>(code.form);
    entry.program = addText(code.program);
    entry.target = addText(code.target);
    entry.features = addText(code.features);
    entry.size = code.bytes.size();
    getSha256(code.bytes).copy(entry.digest, digestBytes);
  }
  Header header{};
  magic.copy(header.magic, magic.size());
  header.version = packageVersion;
  header.count = static_cast<uint32_t>(codes.size());
  header.indexBytes = entries.size() * sizeof(Entry) + texts.size();
  uint64_t end = sizeof header + header.indexBytes;
  for (Entry &entry : entries) {
    entry.offset = (end + codeAlignment - 1) / codeAlignment * codeAlignment;
    end = entry.offset + entry.size;
  }
  header.fileBytes = end;
  std::string index(reinterpret_cast<const char *>(entries.data()), entries.size() * sizeof(Entry));
  index += texts;
  std::string_view headerBytes(reinterpret_cast<const char *>(&header), sizeof header);
  getIndexDigest(headerBytes, index).copy(header.digest, digestBytes);
  std::string bytes(headerBytes);
  bytes += index;
  for (size_t i = 0; i < codes.size(); ++i) {
    bytes.resize(entries[i].offset);
    bytes += codes[i].bytes;
  }
  return bytes;
}
