//===- PlanFile.cpp - Plans in files ----------------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/Plan.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <unistd.h>

using namespace attnc;

/// A file is this, then little-endian integers of 64 bits: the version, the bytes and the checksum
/// of what follows, and that: the sizes of Plan, its scalars, offsets and runs.
static constexpr char magic[8] = {'a', 't', 't', 'n', 'p', 'l', 'a', 'n'};
static constexpr uint64_t version = 1;

/// FNV-1a.
static uint64_t getChecksum(const char *data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<unsigned char>(data[i])) * 0x100000001b3;
  return hash;
}

namespace {
class Writer {
public:
  void add(uint64_t value, int bytes = 8) {
    for (int i = 0; i < bytes; ++i)
      text.push_back(static_cast<char>(value >> 8 * i));
  }
  void add(const std::string &value) {
    add(value.size());
    text += value;
  }

  std::string text;
};

/// Reads what a Writer has written; past the end there are zeros, and isWhole() is false.
class Reader {
public:
  Reader(const char *data, size_t size) : data(data), size(size) {}

  uint64_t get(int bytes = 8) {
    if (!has(bytes, 1))
      return 0;
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
      value |= static_cast<uint64_t>(static_cast<unsigned char>(data[position++])) << 8 * i;
    return value;
  }
  std::string getText() {
    uint64_t length = get();
    if (!has(length, 1))
      return "";
    position += length;
    return std::string(data + position - length, length);
  }
  /// True if `count` things of `bytes` bytes are there; false is remembered.
  bool has(uint64_t count, uint64_t bytes) {
    whole &= count <= (size - position) / bytes;
    return whole;
  }
  bool isWhole() const { return whole; }
  bool isAtEnd() const { return position == size; }

private:
  const char *data;
  size_t size, position = 0;
  bool whole = true;
};

struct Close {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;
} // namespace

static std::string makeError(const std::string &path, const std::string &what) {
  return "`" + path + "`: " + what;
}

std::optional<std::string> attnc::savePlan(const Plan &plan, const std::string &path) {
  Writer body;
  for (int64_t value : {plan.rows, plan.keys, plan.B, plan.Hq, plan.Q, plan.KV,
                        int64_t(plan.perBatch), int64_t(plan.perHead)})
    body.add(static_cast<uint64_t>(value));
  body.add(plan.mask);
  body.add(plan.scalars.size());
  for (const Plan::Scalar &scalar : plan.scalars) {
    body.add(scalar.name);
    body.add(static_cast<uint64_t>(scalar.value));
  }
  body.add(plan.offsets.size());
  for (uint32_t offset : plan.offsets)
    body.add(offset, 4);
  body.add(plan.runs.size());
  for (const KeyRun &run : plan.runs) {
    body.add(run.first, 4);
    body.add(run.lastAndFull, 4);
  }
  Writer head;
  head.text.assign(magic, sizeof(magic));
  head.add(version);
  head.add(body.text.size());
  head.add(getChecksum(body.text.data(), body.text.size()));

  // A plan that is there stays until all of the new one is; devices and pipes are written to.
  namespace fs = std::filesystem;
  std::error_code code;
  fs::file_status status = fs::status(path, code);
  bool isDirect = fs::exists(status) && !fs::is_regular_file(status);
  std::string target = fs::is_regular_file(status) ? fs::canonical(path, code).string() : path;
  std::string name = isDirect ? path : target + "." + std::to_string(getpid()) + ".tmp";
  File file(std::fopen(name.c_str(), "wb"));
  bool isOpen = file != nullptr;
  std::string text = head.text + body.text;
  if (isOpen && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
      std::fclose(file.release()) == 0 &&
      (isDirect || std::rename(name.c_str(), target.c_str()) == 0))
    return std::nullopt;
  std::string reason = std::strerror(errno);
  if (isOpen && !isDirect)
    std::remove(name.c_str());
  return makeError(path, "cannot write the plan: " + reason);
}

/// What is wrong with the contents of a plan, or nothing.
static std::optional<std::string> checkContents(const Plan &plan) {
  for (int64_t size : {plan.B, plan.Hq, plan.Q, plan.KV})
    if (size < 0 || size > (int64_t(1) << 48))
      return "a size is out of range";
  if (std::min(plan.rows, plan.keys) < 1 || std::max(plan.rows, plan.keys) > Plan::maxBlock ||
      plan.getNumKeyBlocks() >= KeyRun::fullBit)
    return "the size of its blocks is out of range";
  auto rows = static_cast<uint64_t>(plan.offsets.size());
  // The product of sizes is compared step by step, as it may overflow.
  uint64_t wanted = plan.getNumQueryBlocks();
  for (int64_t factor : {plan.getNumBatches(), plan.getNumHeads()}) {
    if (factor != 0 && wanted > rows)
      return "it has too few rows";
    wanted *= static_cast<uint64_t>(factor);
  }
  if (rows != wanted + 1 || plan.offsets.front() != 0 || plan.offsets.back() != plan.runs.size())
    return "its rows do not fit its runs";
  for (uint64_t row = 0; row + 1 < rows; ++row) {
    if (plan.offsets[row] > plan.offsets[row + 1])
      return "its rows do not ascend";
    int64_t next = 0;
    for (uint32_t i = plan.offsets[row]; i < plan.offsets[row + 1]; ++i) {
      const KeyRun &run = plan.runs[i];
      if (run.getFirst() < next || run.getLast() < run.getFirst() ||
          run.getLast() >= plan.getNumKeyBlocks())
        return "runs of a row overlap, descend or lie outside";
      next = run.getLast() + 1;
    }
  }
  return std::nullopt;
}

static bool isPlan(const std::string &text) {
  return text.compare(0, sizeof(magic), magic, sizeof(magic)) == 0;
}

std::optional<std::string> attnc::loadPlan(const std::string &path, Plan &result) {
  File file(std::fopen(path.c_str(), "rb"));
  std::string text;
  if (file) {
    char buffer[1 << 16];
    while (size_t count = std::fread(buffer, 1, sizeof(buffer), file.get())) {
      text.append(buffer, count);
      // What is no plan may have no end.
      if (!isPlan(text))
        break;
    }
  }
  if (!file || std::ferror(file.get()))
    return makeError(path, "cannot read the plan: " + std::string(std::strerror(errno)));
  if (!isPlan(text))
    return makeError(path, "not a plan");
  constexpr size_t headBytes = sizeof(magic) + 3 * 8;
  Reader head(text.data() + sizeof(magic), text.size() - sizeof(magic));
  uint64_t found = head.get(), bytes = head.get(), checksum = head.get();
  if (head.isWhole() && found != version)
    return makeError(path, "expected a plan of version " + std::to_string(version) +
                               ", got version " + std::to_string(found));
  if (!head.isWhole() || bytes != text.size() - headBytes ||
      checksum != getChecksum(text.data() + headBytes, bytes))
    return makeError(path, "the plan is damaged: its checksum does not match");

  Reader body(text.data() + headBytes, bytes);
  Plan plan;
  for (int64_t *value : {&plan.rows, &plan.keys, &plan.B, &plan.Hq, &plan.Q, &plan.KV})
    *value = static_cast<int64_t>(body.get());
  plan.perBatch = body.get() != 0;
  plan.perHead = body.get() != 0;
  plan.mask = body.get();
  uint64_t scalars = body.get();
  for (uint64_t i = 0; i < scalars && body.has(1, 16); ++i) {
    std::string name = body.getText();
    plan.scalars.push_back({name, static_cast<int64_t>(body.get())});
  }
  uint64_t offsets = body.get();
  if (body.has(offsets, 4))
    for (uint64_t i = 0; i < offsets; ++i)
      plan.offsets.push_back(static_cast<uint32_t>(body.get(4)));
  uint64_t runs = body.get();
  if (body.has(runs, 8))
    for (uint64_t i = 0; i < runs; ++i) {
      KeyRun &run = plan.runs.emplace_back();
      run.first = static_cast<uint32_t>(body.get(4));
      run.lastAndFull = static_cast<uint32_t>(body.get(4));
    }
  if (!body.isWhole() || !body.isAtEnd() || plan.offsets.empty())
    return makeError(path, "the plan is damaged: it is too short");
  if (auto error = checkContents(plan))
    return makeError(path, "the plan is damaged: " + *error);
  result = std::move(plan);
  return std::nullopt;
}
