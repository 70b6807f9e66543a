//===- RunOptions.cpp - The command line of attn-run ------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/RunOptions.h"
#include "attnc/DeviceList.h"
#include "attnc/GpuKernel.h"
#include "compiler/Conversion/AttnToTile/RequestedTile.h"
#include "compiler/Driver/CommandLine.h"
#include "compiler/Driver/OutputFile.h"
#include "compiler/Target/Host/HostTarget.h"
#include "compiler/Target/Ptx/PtxTarget.h"
#include "dialect/Attn/IR/HeadDim.h"
#include "runtime/emulator/Launch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cctype>
#include <cmath>

using namespace attnc;
using namespace attnc::driver;

namespace {
/// What was expected of a value, or nothing.
using Expected = std::optional<std::string>;

bool isName(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// Splits NAME=VALUE; false if there is no such name.
bool splitAssignment(const std::string &text, std::string &name, std::string &value) {
  size_t equals = text.find('=');
  if (equals == std::string::npos)
    return false;
  name = text.substr(0, equals);
  value = text.substr(equals + 1);
  return isName(name);
}

/// A comma list of whole numbers of at least 0; an empty text is the empty list.
bool parseSizes(const std::string &text, std::vector<int64_t> &sizes) {
  sizes.clear();
  if (text.empty())
    return true;
  for (const std::string &part : split(text, ',')) {
    std::optional<int64_t> size = parseInteger(part);
    if (!size || *size < 0)
      return false;
    sizes.push_back(*size);
  }
  return true;
}

Expected addView(RunOptions &options, const std::string &text) {
  const char *form = "NAME=STORED:SHAPE:STRIDES:OFFSET with whole numbers of at least 0";
  std::string name, value;
  if (!splitAssignment(text, name, value))
    return form;
  std::vector<std::string> parts = split(value, ':');
  ViewOption view;
  if (parts.size() != 4 || parts[0].empty() || !parseSizes(parts[1], view.shape) ||
      !parseSizes(parts[2], view.strides))
    return form;
  view.stored = parts[0];
  std::optional<int64_t> offset = parseInteger(parts[3]);
  if (!offset || *offset < 0)
    return form;
  view.offset = *offset;
  if (view.shape.size() != view.strides.size())
    return "as many strides as sizes";
  if (!options.views.emplace(name, view).second)
    return "one view of each tensor";
  return std::nullopt;
}

Expected addFill(RunOptions &options, const std::string &text) {
  const char *form = "NAME=normal, NAME=range:LOW,HIGH, NAME=documents:N or NAME=const:X";
  std::string name, value;
  if (!splitAssignment(text, name, value))
    return form;
  std::vector<std::string> parts = split(value, ':');
  std::vector<std::string> numbers =
      parts.size() == 2 ? split(parts[1], ',') : std::vector<std::string>();
  std::vector<double> values;
  for (const std::string &number : numbers) {
    std::optional<double> parsed = parseNumber(number);
    if (!parsed)
      return form;
    values.push_back(*parsed);
  }
  FillOption fill;
  if (value == "normal") {
    fill.kind = FillOption::Normal;
  } else if (parts[0] == "range" && values.size() == 2 && values[0] <= values[1]) {
    fill.kind = FillOption::Range;
    fill.low = values[0];
    fill.high = values[1];
  } else if (parts[0] == "const" && values.size() == 1) {
    fill.kind = FillOption::Const;
    fill.low = values[0];
  } else if (parts[0] == "documents" && values.size() == 1 && values[0] >= 1 && values[0] <= 1e9 &&
             values[0] == std::floor(values[0])) {
    fill.kind = FillOption::Documents;
    fill.documents = static_cast<int64_t>(values[0]);
  } else {
    return form;
  }
  options.fills[name] = fill;
  return std::nullopt;
}

Expected setRandom(RunOptions &options, const std::string &text) {
  RandomOption random;
  for (const std::string &part : split(text, ',')) {
    std::string name, value;
    if (!splitAssignment(part, name, value))
      return "NAME=SIZE,...,dtype=TYPE";
    if (name == "dtype") {
      std::optional<ElementType> type = parseElementType(value);
      if (!type || !isFloat(*type))
        return "a dtype of f32, f16 or bf16";
      random.dtype = *type;
      continue;
    }
    std::optional<int64_t> size = parseInteger(value);
    if (!size || *size < 0)
      return "sizes of at least 0 (`" + name + "`)";
    if (!random.sizes.emplace(name, *size).second)
      return "each size once (`" + name + "` stands twice)";
  }
  auto setDefault = [&](const char *name, const char *other, int64_t value) {
    auto found = random.sizes.find(other);
    random.sizes.emplace(name, found == random.sizes.end() ? value : found->second);
  };
  setDefault("B", "B", 1);
  setDefault("Hq", "Hq", 1);
  setDefault("Hkv", "Hq", 1);
  for (const char *name : {"Q", "KV", "D"})
    if (!random.sizes.count(name))
      return "at least Q, KV and D (no `" + std::string(name) + "`)";
  setDefault("Dv", "D", 1);
  for (const char *name : {"D", "Dv"})
    if (!attn::isHeadDim(random.sizes[name]))
      return std::string(name) + " " + attn::getHeadDimRange();
  options.random = random;
  return std::nullopt;
}

Expected setLayout(RunOptions &options, const std::string &text) {
  if (text == "bhsd")
    options.layout = TensorLayout::BHSD;
  else if (text == "bshd")
    options.layout = TensorLayout::BSHD;
  else if (text == "thd")
    options.layout = TensorLayout::THD;
  else
    return "bhsd, bshd or thd";
  return std::nullopt;
}

Expected setDevice(RunOptions &options, const std::string &text) {
  options.devices.clear();
  options.deviceList = text;
  for (std::string_view name : splitDeviceList(text)) {
    RunDevice &device = options.devices.emplace_back();
    device.name = name;
    std::optional<int> ordinal = parseGpuName(name);
    device.ordinal = ordinal.value_or(0);
    if (ordinal)
      device.kind = RunDevice::Cuda;
    else if (name == "emulator")
      device.kind = RunDevice::Emulator;
    else if (name == "reference")
      device.kind = RunDevice::Reference;
    else if (name != "host")
      return "auto, or a list of host, cuda, cuda:N, emulator and reference";
  }
  return std::nullopt;
}

Expected addDefine(RunOptions &options, const std::string &text) {
  std::string name, value;
  if (!splitAssignment(text, name, value) || value.empty())
    return "NAME=VALUE";
  options.defines.emplace_back(name, value);
  return std::nullopt;
}

Expected addScalar(RunOptions &options, const std::string &text) {
  std::string name, value;
  if (!splitAssignment(text, name, value))
    return "NAME=VALUE";
  std::optional<ScalarValue> scalar = parseScalar(value);
  if (!scalar)
    return "NAME=VALUE with a number, true or false";
  options.scalars[name] = *scalar;
  return std::nullopt;
}

Expected setScale(RunOptions &options, const std::string &text) {
  std::optional<double> value = parseNumber(text);
  if (!value || !std::isfinite(static_cast<float>(*value)))
    return "a finite number";
  options.scale = ScaleOption{static_cast<float>(*value), text};
  return std::nullopt;
}

Expected setSeed(RunOptions &options, const std::string &text) {
  std::optional<int64_t> value = parseInteger(text);
  if (!value || *value < 0)
    return "a whole number of at least 0";
  options.seed = static_cast<uint64_t>(*value);
  return std::nullopt;
}

Expected setThreads(RunOptions &options, const std::string &text) {
  std::optional<int64_t> value = parseInteger(text);
  if (!value || *value < 1 || *value > 4096)
    return "a number of threads from 1 to 4096";
  options.threads = static_cast<unsigned>(*value);
  return std::nullopt;
}

Expected setCpu(RunOptions &options, const std::string &text) {
  options.cpu = text;
  if (llvm::is_contained(HostTarget::getNames(), text))
    return std::nullopt;
  return "one of " + llvm::join(HostTarget::getNames(), ", ");
}

Expected setArch(RunOptions &options, const std::string &text) {
  options.arch = text;
  if (llvm::is_contained(PtxTarget::getNames(), text))
    return std::nullopt;
  return "one of " + llvm::join(PtxTarget::getNames(), ", ");
}

Expected setTile(RunOptions &options, const std::string &text) {
  options.tile = text;
  return parseTile(text) ? Expected() : getTileRange();
}

Expected setBlock(RunOptions &options, const std::string &text) {
  std::vector<std::string> parts = split(text, 'x');
  std::optional<int64_t> rows, keys;
  if (parts.size() == 2) {
    rows = parseInteger(parts[0]);
    keys = parseInteger(parts[1]);
  }
  constexpr int64_t most = int64_t(1) << 30;
  if (!rows || !keys || *rows < 1 || *keys < 1 || *rows > most || *keys > most)
    return "ROWSxKEYS with whole numbers from 1 to " + std::to_string(most);
  options.planRows = *rows;
  options.planKeys = *keys;
  return std::nullopt;
}

Expected setSchedules(RunOptions &options, const std::string &text) {
  std::optional<int64_t> value = text == "ci" ? emu::getCiSchedules().size() : parseInteger(text);
  if (!value || *value < 1 || *value > 100000)
    return "ci or a number from 1 to 100000";
  options.schedules = static_cast<unsigned>(*value);
  return std::nullopt;
}

Expected setMultiprocessors(RunOptions &options, const std::string &text) {
  std::optional<int64_t> value = parseInteger(text);
  if (!value || *value < 1 || *value > 1000)
    return "a number of multiprocessors from 1 to 1000";
  options.multiprocessors = *value;
  return std::nullopt;
}

Expected setSplits(RunOptions &options, const std::string &text) {
  std::optional<int64_t> value = parseInteger(text);
  if (!value || *value < 0 || *value > GpuKernel::maxSplits)
    return "a number of splits from 0 to " + std::to_string(GpuKernel::maxSplits);
  options.splits = *value;
  return std::nullopt;
}

CommandLine makeCommandLine(RunOptions &options) {
  auto with = [&options](Expected (*set)(RunOptions &, const std::string &)) {
    return [&options, set](const std::string &text) { return set(options, text); };
  };
  std::vector<Option> tf32 = options.tf32.makeOptions();
  std::vector<OptionGroup> groups = {
      {"Tensors",
       {makeString("--in", "FILE", options.in,
                   "safetensors file with q, k, v and the captured tensors, by name; a 0-d tensor "
                   "may supply a scalar; other tensors are ignored; - is standard input"),
        makeString("--out", "FILE", options.out,
                   "writes o, in the dtype of q and in logical order, to a safetensors file; - is "
                   "standard output, and reports then go to standard error"),
        makeFlag("--lse", options.lse, "computes the log-sum-exp too: `lse`, f32"),
        makeFlag("--weights", options.weights,
                 "writes the attention weights too: `weights` [B, Hq, Q, KV], f32 (device "
                 "reference only)"),
        {"--view", "NAME=STORED:SHAPE:STRIDES:OFFSET",
         "takes NAME as a strided view of the stored tensor STORED: comma lists, in elements; "
         "several views may share storage",
         with(addView)},
        {"--layout", "bhsd|bshd|thd",
         "how q, k and v are stored: bhsd is [B, H, S, D] (the default), thd is [S, H, D] for B = "
         "1",
         with(setLayout)},
        {"--random", "B=1,Hq=8,Hkv=2,...",
         "takes random tensors of these sizes instead of a file: Q, KV and D, if not 1 or equal "
         "to another B, Hq, Hkv and Dv, the extents that captured tensors name, and dtype=f32, "
         "f16 or bf16 (the default)",
         with(setRandom)},
        {"--fill", "NAME=KIND",
         "what a random tensor holds: normal, range:LOW,HIGH, documents:N (N runs of equal ids) "
         "or const:X",
         with(addFill)},
        {"--seed", "N", "starts the random numbers elsewhere", with(setSeed)}}},
      {"Program",
       {{"--set", "NAME=VALUE", "the value of a scalar launch argument", with(addScalar)},
        {"--scale", "X", "the softmax scale, for a program that does not give its value",
         with(setScale)},
        {"-D", "NAME=VALUE", "overrides a constant of the program", with(addDefine)},
        {"--approx", "NAME[,...]", "allows an approximation of these builtins, for instance tanh",
         [&options](const std::string &text) { return addNames(text, options.approx); }},
        makeFlag("--checked", options.checked,
                 "reports the first index that was clamped at a pair that takes part")}},
      {"Running",
       {{"--device", "NAME[,...]",
         "where to run: host, native code for this CPU (the default); cuda or cuda:1, an NVIDIA "
         "GPU; emulator, the kernel for GPUs on the CPU, with every access checked; or reference, "
         "the oracle, which computes pair by pair in double. Of a list, the first that can run "
         "the program; auto is cuda,host",
         with(setDevice)},
        makeFlag("--explain-device", options.explainDevice,
                 "says of each device of the list whether it can run the program, and if not why"),
        {"--threads", "N", "threads to use (all of them)", with(setThreads)},
        {"--cpu", "NAME",
         "the CPU to compile for: native (the default), x86-64-v4-bf16, x86-64-v4, x86-64-v3 or "
         "x86-64",
         with(setCpu)},
        {"--arch", "NAME",
         "the GPU to compile for on the emulator: sm_80 (the default), or another that attnc knows",
         with(setArch)},
        {"--tile", "QUERIESxKEYS", "the tile of the kernel on the emulator, as attnc takes it",
         with(setTile)},
        tf32[0],
        tf32[1],
        {"--schedules", "ci|N",
         "runs under the five schedules of the emulator's CI set, or N of them, instead of the "
         "first; all must give the same bits; --seed varies them",
         with(setSchedules)},
        {"--sms", "N",
         "multiprocessors of the emulated GPU (1), which decide how launches with few queries or "
         "blocks are made",
         with(setMultiprocessors)},
        {"--splits", "N",
         "shares the keys out to N blocks on the emulator, whatever the launch; 0 makes it as "
         "those with many blocks are made",
         with(setSplits)},
        makeFlag("--stats", options.statistics,
                 "counts instructions, bank conflicts and memory traffic of the emulator's first "
                 "run"),
        makeFlag("--perturb-approx", options.perturbApproximations,
                 "draws approximate results of the emulator inside their documented bounds"),
        makeString("--after", "PASSES", options.after,
                   "runs these attn passes, a comma list, before the program reaches the device; "
                   "for debugging a pass")}},
      {"Reports",
       {makeFlag("--check", options.check,
                 "compares the results with the reference and fails beyond twice the error of an "
                 "unfused run"),
        makeFlag("--bench", options.bench,
                 "measures the time, GFLOP/s over pairs that take part, share of the peak measured "
                 "here, and peak memory"),
        makeString(
            "--mask-picture", "FILE", options.maskPicture,
            "draws the mask of the first batch and head: a .png or .svg image, else text; - is "
            "the terminal"),
        makeFlag("--plan", options.plan,
                 "prints the plan: which blocks of keys each block of queries visits; without "
                 "`--out` and other reports nothing is computed"),
        {"--block", "ROWSxKEYS", "the blocks of the plan (128x128)", with(setBlock)},
        makeFlag("--refine-plan", options.refinePlan,
                 "evaluates the pairs of blocks that the analysis leaves partial"),
        makeFlag("--verify-plan", options.verifyPlan,
                 "compares the plan with all pairs and fails where it is wrong"),
        makeString("--save-plan", "FILE", options.savePlan, "writes the plan to a file"),
        makeString("--load-plan", "FILE", options.loadPlan,
                   "runs with the plan of a file instead of making one"),
        makeFlag("--time-passes", options.timePasses, "prints the time of each step"),
        makeFlag("--json", options.json, "reports as one JSON object"),
        makeFlag("--help", options.help, "prints this text"),
        makeFlag("--version", options.version, "prints the version")}}};
  return CommandLine(
      "attn-run", "PROGRAM [options]",
      "Runs an attention program (.attn, or what attnc --emit=attn or --emit=expanded printed) on "
      "tensors.\n",
      std::move(groups),
      "\nExamples:\n"
      "  attn-run packed.attn --in qkv.safetensors --out o.safetensors --lse\n"
      "  attn-run packed.attn --random B=1,Hq=8,Hkv=2,Q=2048,KV=2048,D=128 --fill doc=documents:8 "
      "--check --bench\n"
      "  attn-run packed.attn --random Q=200,KV=200,D=64 --fill doc=documents:5 --device emulator "
      "--schedules ci --check\n"
      "\nExit status: 0, 1 errors in the program or the tensors, 2 command line, 3 environment, 4 "
      "a "
      "failed --check, or a fault that the emulator has found.\n");
}

std::optional<std::string> checkEmulator(const RunOptions &options) {
  if (options.bench)
    return "`--bench` expects `--device host` or `reference`: the emulator's time says nothing "
           "about a GPU";
  if (options.multiprocessors && options.splits)
    return "expected either `--sms` or `--splits`, got both";
  if (!options.cpu.empty())
    return "`--cpu` expects `--device host`, got `emulator`, which takes `--arch`";
  return std::nullopt;
}

std::optional<std::string> checkOtherDevice(const RunOptions &options, const RunDevice &device) {
  const char *name = !options.arch.empty()           ? "--arch"
                     : !options.tile.empty()         ? "--tile"
                     : options.schedules != 0        ? "--schedules"
                     : options.multiprocessors       ? "--sms"
                     : options.splits                ? "--splits"
                     : options.perturbApproximations ? "--perturb-approx"
                     : options.statistics            ? "--stats"
                                                     : nullptr;
  if (const char *tf32 = options.tf32.getName(); tf32 && device.kind != RunDevice::Cuda)
    return "`" + std::string(tf32) + "` expects `--device emulator` or `cuda`, got `" +
           device.name + "`";
  if (!name)
    return std::nullopt;
  return "`" + std::string(name) + "` expects `--device emulator`, got `" + device.name + "`";
}

std::optional<std::string> checkGpu(const RunOptions &options, const RunDevice &device) {
  if (options.bench)
    return "`--bench` expects `--device host` or `reference`, got `" + device.name +
           "`, whose time would be that of copies";
  if (!options.cpu.empty())
    return "`--cpu` expects `--device host`, got `" + device.name + "`";
  return checkOtherDevice(options, device);
}

/// What does not go together.
std::optional<std::string> checkCombination(const RunOptions &options) {
  if (auto error = options.tf32.check())
    return error;
  if (options.in.empty() && !options.random)
    return "expected tensors: `--in FILE` or `--random SIZES`";
  if (!options.in.empty() && options.random)
    return "expected either `--in` or `--random`, got both";
  if (options.random && !options.views.empty())
    return "`--view` expects stored tensors (`--in`), got `--random`";
  if (options.random && options.layout != TensorLayout::BHSD)
    return "`--layout` expects stored tensors (`--in`), got `--random`";
  if (!options.random && !options.fills.empty())
    return "`--fill` expects random tensors (`--random`), got `--in`";
  std::vector<OutputName> files;
  for (auto [name, file] :
       {std::pair("--out", options.out), std::pair("--mask-picture", options.maskPicture),
        std::pair("--save-plan", options.savePlan)})
    if (!file.empty())
      files.push_back({name, file});
  if (auto error = checkDistinct(files))
    return error;
  if (options.planRows != 0 && (!wantsPlan(options) || !options.loadPlan.empty()))
    return std::string("`--block` expects a plan that is made: `--plan`, `--save-plan` or "
                       "`--verify-plan`") +
           (options.loadPlan.empty() ? "" : ", got `--load-plan`");
  if (options.refinePlan && (!wantsPlan(options) || !options.loadPlan.empty()))
    return std::string("`--refine-plan` expects a plan that is made: `--plan`, `--save-plan` or "
                       "`--verify-plan`") +
           (options.loadPlan.empty() ? "" : ", got `--load-plan`");
  // Of a list, those that an option is not for are not taken.
  if (options.devices.size() == 1)
    if (auto error = checkDevice(options, options.devices.front()))
      return error;
  if (options.weights && options.out.empty())
    return "`--weights` expects `--out FILE`, where they are written";
  return std::nullopt;
}
} // namespace

std::optional<std::string> driver::checkDevice(const RunOptions &options, const RunDevice &device) {
  if (!options.loadPlan.empty() && device.kind != RunDevice::Host)
    return "`--load-plan` expects `--device host`: others make no use of plans";
  if (options.weights && device.kind != RunDevice::Reference)
    return "`--weights` expects `--device reference`: fused kernels never hold the weights";
  switch (device.kind) {
  case RunDevice::Emulator:
    return checkEmulator(options);
  case RunDevice::Cuda:
    return checkGpu(options, device);
  case RunDevice::Host:
  case RunDevice::Reference:
    return checkOtherDevice(options, device);
  }
  llvm_unreachable("unknown device");
}

bool driver::wantsPlan(const RunOptions &options) {
  return options.plan || options.verifyPlan || !options.savePlan.empty() ||
         !options.loadPlan.empty();
}

std::optional<std::string> driver::parseRunOptions(const std::vector<std::string> &words,
                                                   RunOptions &options) {
  std::vector<std::string> positional;
  if (auto error = makeCommandLine(options).parse(words, positional))
    return error;
  if (options.help || options.version)
    return std::nullopt;
  if (positional.size() != 1)
    return positional.empty()
               ? "expected a program, got none"
               : "expected one program, got `" + positional[0] + "` and `" + positional[1] + "`";
  options.program = positional.front();
  return checkCombination(options);
}

std::string driver::getRunHelp() {
  RunOptions options;
  return makeCommandLine(options).getHelp();
}
