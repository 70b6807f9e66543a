//===- KernelMetadata.cpp - Kernels as their code describes them ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/KernelMetadata.h"
#include "attnc/CpuFeatures.h"
#include "runtime/JsonValue.h"
#include <algorithm>
#include <limits>

using namespace attnc;
using Kind = JsonValue::Kind;

namespace {
using Error = std::optional<std::string>;

constexpr int64_t maxRank = 6;
constexpr int64_t maxInt = std::numeric_limits<int32_t>::max();

/// Reads the members of one object. The first thing that is wrong is kept; what is read after it
/// means nothing.
class ObjectReader {
public:
  ObjectReader(const JsonValue &object, Error &error) : object(object), error(error) {
    if (!object.is(Kind::Object))
      fail("expected an object");
  }

  /// The member `key`, or null after an error.
  const JsonValue *find(const char *key) {
    if (error || !object.is(Kind::Object))
      return nullptr;
    if (const JsonValue *found = object.find(key))
      return found;
    fail("expected a member `" + std::string(key) + "`");
    return nullptr;
  }

  bool has(const char *key) const { return object.find(key) != nullptr; }

  int64_t getInt(const char *key, int64_t min, int64_t max) {
    const JsonValue *value = find(key);
    if (!value)
      return min;
    std::optional<int64_t> number = value->getInt();
    if (number && *number >= min && *number <= max)
      return *number;
    fail("`" + std::string(key) + "`: expected an integer from " + std::to_string(min) + " to " +
         std::to_string(max) + ", got " + value->print());
    return min;
  }

  bool getBool(const char *key) {
    const JsonValue *value = find(key);
    if (value && !value->is(Kind::Bool))
      fail("`" + std::string(key) + "`: expected true or false, got " + value->print());
    return value && value->is(Kind::Bool) && value->getBool();
  }

  std::string getString(const char *key) {
    const JsonValue *value = find(key);
    if (!value)
      return "";
    if (value->is(Kind::Text) && !value->getText().empty())
      return value->getText();
    fail("`" + std::string(key) + "`: expected a text, got " + value->print());
    return "";
  }

  ElementType getType(const char *key) {
    std::string name = getString(key);
    std::optional<ElementType> type = parseElementType(name);
    if (!error && !type)
      fail("`" + std::string(key) + "`: expected an element type, got `" + name + "`");
    return type.value_or(ElementType::F32);
  }

  /// Calls `use` with each element of the array `key` until something is wrong.
  template <typename UseT> void forEach(const char *key, UseT use) {
    const JsonValue *array = find(key);
    if (!array)
      return;
    if (!array->is(Kind::Array))
      return fail("`" + std::string(key) + "`: expected an array, got " + array->print());
    for (const JsonValue &element : array->getElements())
      if (!error)
        use(element);
  }

  void fail(std::string message) {
    if (!error)
      error = std::move(message);
  }

private:
  const JsonValue &object;
  Error &error;
};

std::string readName(const JsonValue &value, Error &error) {
  if (value.is(Kind::Text) && !value.getText().empty())
    return value.getText();
  error = "expected a name, got " + value.print();
  return "";
}

CaptureInfo readCapture(const JsonValue &value, Error &error) {
  ObjectReader reader(value, error);
  CaptureInfo capture{reader.getString("name"), reader.getType("type"), {}};
  reader.forEach("shape", [&](const JsonValue &size) {
    std::string text = readName(size, error);
    std::optional<SizeExpr> expr = SizeExpr::parse(text);
    if (expr)
      capture.shape.push_back(std::move(*expr));
    else
      reader.fail("`" + capture.name + "`: expected a size, got `" + text + "`");
  });
  if (static_cast<int64_t>(capture.shape.size()) > maxRank)
    reader.fail("`" + capture.name + "`: expected at most " + std::to_string(maxRank) +
                " dimensions, got " + std::to_string(capture.shape.size()));
  return capture;
}

/// The elements of a tensor have the type and lie as kernels of this version have it.
void checkTensor(const JsonValue &value, const KernelInfo &info, Error &error) {
  ObjectReader reader(value, error);
  std::string name = reader.getString("name"), layout = reader.getString("layout");
  ElementType type = reader.getType("type");
  if (error)
    return;
  if (layout != stridedLayout)
    error = "`" + name + "` has the layout `" + layout + "`, which needs a later runtime";
  else if (ElementType expected = name == "lse" ? ElementType::F32 : info.dtype; type != expected)
    error = "`" + name + "` has elements of " + getName(type) + " beside " + getName(info.dtype) +
            ", which needs a later runtime";
}

void checkNames(const KernelInfo &info, Error &error) {
  std::vector<std::string> names = info.extents;
  for (const CaptureInfo &capture : info.captures)
    names.push_back(capture.name);
  for (const ScalarInfo &scalar : info.scalars)
    names.push_back(scalar.name);
  std::sort(names.begin(), names.end());
  auto twice = std::adjacent_find(names.begin(), names.end());
  if (!error && twice != names.end())
    error = "`" + *twice + "` is declared twice";
}

/// A constant index is into a dimension that there is.
Requirement readRequirement(const JsonValue &value, const KernelInfo &info, Error &error) {
  ObjectReader reader(value, error);
  Requirement requirement{reader.getString("capture"), 0, 0};
  auto capture = std::find_if(info.captures.begin(), info.captures.end(),
                              [&](const CaptureInfo &c) { return c.name == requirement.capture; });
  if (!error && capture == info.captures.end())
    reader.fail("`requirements`: there is no captured tensor `" + requirement.capture + "`");
  if (error)
    return requirement;
  requirement.dim = reader.getInt("dim", 0, static_cast<int64_t>(capture->shape.size()) - 1);
  requirement.index = reader.getInt("index", std::numeric_limits<int64_t>::min(),
                                    std::numeric_limits<int64_t>::max());
  return requirement;
}

KernelInfo readInfo(ObjectReader &reader, Error &error) {
  KernelInfo info;
  int64_t version = reader.getInt("version", 1, std::numeric_limits<int64_t>::max());
  if (version != metadataVersion)
    reader.fail("expected metadata of version " + std::to_string(metadataVersion) + ", got " +
                std::to_string(version) + ", which needs a later runtime");
  info.name = reader.getString("name");
  info.dtype = reader.getType("dtype");
  if (!isFloat(info.dtype))
    reader.fail("`dtype`: expected a float type, got " + getName(info.dtype));
  info.headDim = reader.getInt("head_dim", 1, maxInt);
  info.valueDim = reader.getInt("value_dim", 1, maxInt);
  if (const JsonValue *scale = reader.find("scale"); scale && !scale->is(Kind::Null)) {
    if (!scale->isNumber())
      reader.fail("`scale`: expected a number or null, got " + scale->print());
    else
      info.scale = scale->getFloat();
  }
  info.lse = reader.getBool("lse");
  info.checked = reader.getBool("checked");
  reader.forEach("extents",
                 [&](const JsonValue &value) { info.extents.push_back(readName(value, error)); });
  reader.forEach("captures", [&](const JsonValue &value) {
    info.captures.push_back(readCapture(value, error));
  });
  reader.forEach("scalars", [&](const JsonValue &value) {
    ObjectReader scalar(value, error);
    info.scalars.push_back({scalar.getString("name"), scalar.getType("type")});
  });
  checkNames(info, error);
  reader.forEach("requirements", [&](const JsonValue &value) {
    info.requirements.push_back(readRequirement(value, info, error));
  });
  reader.forEach("tensors", [&](const JsonValue &value) { checkTensor(value, info, error); });
  return info;
}

/// Calls `read` for the object that is `text`.
template <typename ReadT> Error readObject(std::string_view text, ReadT read) {
  JsonValue object;
  if (Error wrong = JsonValue::parse(text, object))
    return wrong;
  Error error;
  ObjectReader reader(object, error);
  read(reader, error);
  return error;
}
} // namespace

/// What the metadata says of a planner, whose functions the code has.
static MaskPlanner readPlanner(const JsonValue &object, const KernelInfo &info, Error &error) {
  ObjectReader reader(object, error);
  MaskPlanner planner;
  constexpr int64_t maxValues = 1 << 20;
  planner.queryValues = reader.getInt("query_values", 0, maxValues);
  planner.keyValues = reader.getInt("key_values", 0, maxValues);
  planner.sharedSummaries = reader.getInt("shared_summaries", 0, 1) != 0;
  planner.closedForm = reader.getInt("closed_form", 0, 1) != 0;
  planner.perBatch = reader.getInt("per_batch", 0, 1) != 0;
  planner.perHead = reader.getInt("per_head", 0, 1) != 0;
  planner.mask =
      static_cast<uint64_t>(reader.getInt("mask", 1, std::numeric_limits<int64_t>::max()));
  planner.keyBlock = reader.getInt("key_block", 1, maxInt);
  reader.forEach("scalars", [&](const JsonValue &value) {
    auto last = static_cast<int64_t>(info.scalars.size()) - 1;
    std::optional<int64_t> place = value.getInt();
    if (!place || *place < 0 || *place > last)
      reader.fail("expected the places of scalars as `scalars`");
    else
      planner.scalars.push_back(*place);
  });
  return planner;
}

Error CodeNeeds::check() const {
  std::string missing;
  for (const std::string &feature : features)
    if (!hasCpuFeature(feature))
      missing += (missing.empty() ? "" : ", ") + feature;
  if (missing.empty())
    return std::nullopt;
  return "this machine cannot run code for the CPU `" + cpu + "`: it lacks " + missing;
}

Error attnc::readHostMetadata(std::string_view text, HostKernel &kernel, CodeNeeds &needs) {
  return readObject(text, [&](ObjectReader &reader, Error &error) {
    kernel.info = readInfo(reader, error);
    kernel.queryBlock = reader.getInt("query_block", 1, maxInt);
    kernel.scratchBytes = reader.getInt("scratch_bytes", 0, int64_t(1) << 40);
    if (reader.has("planner"))
      if (const JsonValue *planner = reader.find("planner"))
        kernel.planner = readPlanner(*planner, kernel.info, error);
    needs.cpu = reader.getString("cpu");
    reader.forEach("features", [&](const JsonValue &value) {
      needs.features.push_back(readName(value, error));
    });
    if (reader.has("symbol_suffix"))
      needs.symbolSuffix = reader.getString("symbol_suffix");
  });
}

static std::optional<ShortGrid> readShortGrid(ObjectReader &kernel, Error &error) {
  const JsonValue *object = kernel.has("short_grid") ? kernel.find("short_grid") : nullptr;
  if (!object)
    return std::nullopt;
  ObjectReader reader(*object, error);
  ShortGrid grid;
  grid.rows = reader.getInt("rows", 1, maxInt);
  grid.packsHeads = reader.getBool("packs_heads");
  grid.threads = reader.getInt("threads", 1, 1024);
  grid.sharedBytes = reader.getInt("shared_bytes", 0, maxInt);
  grid.combineThreads = reader.getInt("combine_threads", 1, 1024);
  grid.combineSharedBytes = reader.getInt("combine_shared_bytes", 0, maxInt);
  return grid;
}

static std::optional<TableSummaries> readSummaries(ObjectReader &kernel, Error &error) {
  const JsonValue *object = kernel.has("summaries") ? kernel.find("summaries") : nullptr;
  if (!object)
    return std::nullopt;
  constexpr int64_t maxValues = 4096;
  ObjectReader reader(*object, error);
  TableSummaries summaries;
  summaries.blockSize = reader.getInt("block", 1, maxInt);
  summaries.threads = reader.getInt("threads", 1, 1024);
  summaries.sharedBytes = reader.getInt("shared_bytes", 0, maxInt);
  summaries.keyValues = reader.getInt("key_values", 1, maxValues);
  summaries.queryValues = reader.getInt("query_values", 0, maxValues);
  summaries.perBatch = reader.getBool("per_batch");
  summaries.perHead = reader.getBool("per_head");
  return summaries;
}

Error attnc::readGpuMetadata(std::string_view text, GpuKernel &kernel, std::string &arch) {
  return readObject(text, [&](ObjectReader &reader, Error &error) {
    kernel.info = readInfo(reader, error);
    arch = reader.getString("arch");
    kernel.queryBlock = reader.getInt("query_block", 1, maxInt);
    kernel.threads = reader.getInt("threads", 1, 1024);
    kernel.sharedBytes = reader.getInt("shared_bytes", 0, maxInt);
    kernel.products = reader.has("products") ? reader.getString("products") : "";
    kernel.shortGrid = readShortGrid(reader, error);
    kernel.summaries = readSummaries(reader, error);
  });
}
