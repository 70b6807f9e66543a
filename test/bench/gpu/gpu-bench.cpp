//===- gpu-bench.cpp - Whether GPU kernels are right, and how fast ----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/CommandLine.h"
#include "compiler/Driver/InternalError.h"
#include "compiler/Driver/OutputFile.h"
#include "compiler/Driver/Tf32Flags.h"
#include "test/bench/Median.h"
#include "test/bench/gpu/GpuCase.h"
#include "test/bench/gpu/GpuReport.h"
#include "test/bench/gpu/TorchProcess.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <unistd.h>

using namespace attnc;
using namespace attnc::bench;
namespace json = llvm::json;

namespace {
enum GpuBenchStatus { Passed = 0, Failed = 1, BadUsage = 2, NoGpu = 77 };

struct GpuBenchOptions {
  bool check = false, bench = false, json = false, help = false;
  std::string source = ATTNC_SOURCE_DIR, only, arch, python = "python3";
  std::string variants = "full,causal,alibi,softcap,window,causal-documents";
  std::string dtypes = "f16,bf16", headDims = "64,128";
  int64_t length = 8192, heads = 16, rounds = 5;
  driver::Tf32Flags tf32;

  // The lists, parsed.
  std::vector<const Variant *> chosenVariants;
  std::vector<Shape> shapes;
};

driver::CommandLine makeCommandLine(GpuBenchOptions &options) {
  constexpr int64_t maximum = 1 << 20;
  std::vector<driver::Option> tf32 = options.tf32.makeOptions();
  std::string names;
  for (const Variant &variant : getVariants())
    names += (names.empty() ? "" : " ") + variant.name;
  return driver::CommandLine(
      "gpu-bench", "[--check] [--bench] [options]",
      "Runs kernels of attention variants on the first NVIDIA GPU, through its driver: whether "
      "they "
      "are right\n(--check), how fast they are (--bench); both if neither is asked for.\n",
      {{"What",
        {driver::makeFlag("--check", options.check, "runs every golden case"),
         driver::makeFlag("--bench", options.bench,
                          "prints TFLOP/s, beside SDPA and FlexAttention of PyTorch where it is"),
         driver::makeString("--arch", "NAME", options.arch, "compiles for this (for the GPU)"),
         tf32[0], tf32[1], driver::makeFlag("--json", options.json, "prints JSON")}},
       {"Golden cases",
        {driver::makeString("--only", "WORD", options.only, "those with WORD in their name")}},
       {"Benchmarks: one batch, as many queries as keys",
        {driver::makeString("--variants", "LIST", options.variants, "of " + names),
         driver::makeString("--dtypes", "LIST", options.dtypes, "of f32 f16 bf16 (f16,bf16)"),
         driver::makeString("--head-dims", "LIST", options.headDims, "head dims (64,128)"),
         driver::makeInteger("--length", options.length, "queries and keys (8192)", 1, maximum),
         driver::makeInteger("--heads", options.heads, "heads (16)", 1, maximum),
         driver::makeInteger("--rounds", options.rounds, "rounds, of which the median counts (5)",
                             1, maximum),
         driver::makeString("--python", "PROGRAM", options.python,
                            "a Python that may have PyTorch (python3)")}},
       {"Other",
        {driver::makeString("--source", "FOLDER", options.source,
                            "the project's sources (where they were built)"),
         driver::makeFlag("--help", options.help, "prints this text")}}},
      "\nExit status: 0 all is right, 1 something is not, 2 command line, 3 standard output, 77 no "
      "NVIDIA GPU.\n");
}

/// Fills what follows from the options. Returns what is wrong with them.
std::optional<std::string> parseLists(GpuBenchOptions &options) {
  if (std::optional<std::string> error = options.tf32.check())
    return error;
  if (options.tf32.rounded && (options.check || !options.bench))
    return "`--tf32` expects `--bench`: golden cases are judged as f32 is, which `--tf32x3` is "
           "made for";
  for (const std::string &name : driver::split(options.variants, ',')) {
    if (!findVariant(name))
      return "`--variants`: no variant `" + name + "`";
    options.chosenVariants.push_back(findVariant(name));
  }
  for (const std::string &word : driver::split(options.dtypes, ',')) {
    std::optional<ElementType> dtype = parseElementType(word);
    if (!dtype || !isFloat(*dtype))
      return "`--dtypes` expects a list of f32, f16 and bf16, got `" + options.dtypes + "`";
    for (const std::string &number : driver::split(options.headDims, ',')) {
      std::optional<int64_t> headDim = driver::parseInteger(number);
      if (!headDim || *headDim < 1 || *headDim > PtxTarget::maxHeadDim)
        return "`--head-dims` expects a list of whole numbers up to " +
               std::to_string(PtxTarget::maxHeadDim) + ", got `" + options.headDims + "`";
      options.shapes.push_back({*dtype, *headDim, options.heads, options.length});
    }
  }
  return std::nullopt;
}

void showProgress(const std::string &what) {
  if (isatty(STDERR_FILENO))
    llvm::errs() << "\r\033[K" << what;
}

std::optional<std::string> checkGoldens(const GpuBenchOptions &options, const cuda::Gpu &gpu,
                                        const driver::Target &target, GpuReport &report) {
  auto folders = findGoldens(options.source + "/test/goldens", options.only);
  if (!folders)
    return llvm::toString(folders.takeError());
  report.hasGoldens = true;
  for (const std::string &folder : *folders) {
    showProgress(
        llvm::formatv("golden case {0} of {1}", report.goldens.size() + 1, folders->size()));
    report.goldens.push_back(checkGolden(folder, gpu, target));
    if (!report.goldens.back().error.empty() && gpu.isLost()) {
      report.isGpuLost = true;
      break;
    }
  }
  report.goldensLeft = folders->size() - report.goldens.size();
  showProgress("");
  return std::nullopt;
}

/// The lengths of the documents of a variant; none if it has no documents.
json::Array getDocumentLengths(const BoundVariant &variant) {
  json::Array lengths;
  auto found = variant.getArguments().captures.find("doc");
  if (found == variant.getArguments().captures.end())
    return lengths;
  const auto *ids = static_cast<const int32_t *>(found->second.data);
  int64_t start = 0, length = variant.getShape().length;
  for (int64_t i = 1; i <= length; ++i)
    if (i == length || ids[i] != ids[start]) {
      lengths.push_back(i - start);
      start = i;
    }
  return lengths;
}

/// PyTorch's part in one case: its process makes the same calls, and times them in turn with ours.
class TorchRounds {
public:
  TorchRounds(TorchProcess &torch, const BoundVariant &variant, GpuResult &result)
      : torch(torch), functions{{"sdpa", &result.sdpa}, {"flex", &result.flex}} {
    if (!torch.isRunning())
      return;
    const Shape &shape = variant.getShape();
    auto answer = torch.ask(json::Object{{"variant", variant.getVariant().name},
                                         {"dtype", getName(shape.dtype)},
                                         {"head_dim", shape.headDim},
                                         {"heads", shape.heads},
                                         {"length", shape.length},
                                         {"documents", getDocumentLengths(variant)}});
    for (auto [name, torchResult] : functions)
      torchResult->reason =
          (answer ? answer->getString(name).value_or("") : llvm::StringRef(ended)).str();
  }

  void measure(double duration) {
    if (!torch.isRunning())
      return;
    auto answer = torch.ask(json::Object{{"milliseconds", duration}});
    for (auto [name, torchResult] : functions) {
      if (!answer)
        torchResult->reason = ended;
      else if (std::optional<double> time = answer->getNumber(name))
        times[name].push_back(*time);
    }
  }

  void finish() {
    for (auto [name, torchResult] : functions)
      if (torchResult->reason.empty() && !times[name].empty())
        torchResult->milliseconds = getMedian(times[name]);
  }

private:
  static constexpr llvm::StringLiteral ended = "the process with PyTorch has ended";

  TorchProcess &torch;
  std::pair<const char *, TorchResult *> functions[2];
  std::map<std::string, std::vector<double>> times;
};

std::optional<std::string> measure(GpuCase &gpuCase, const GpuBenchOptions &options,
                                   const driver::Target &target, TorchProcess &torch,
                                   GpuResult &result) {
  constexpr double duration = 20; // of a series of launches, in ms
  if (auto error = gpuCase.prepare(target))
    return error;
  TorchRounds torchRounds(torch, gpuCase, result);
  std::vector<double> times;
  for (int64_t round = 0; round < options.rounds; ++round) {
    times.emplace_back();
    if (auto error = gpuCase.measure(duration, times.back()))
      return error;
    torchRounds.measure(duration);
  }
  torchRounds.finish();
  result.milliseconds = getMedian(times);
  result.teraflops = gpuCase.getFlops() / result.milliseconds * 1e-9;
  return std::nullopt;
}

void measureVariants(const GpuBenchOptions &options, const cuda::Gpu &gpu,
                     const driver::Target &target, GpuReport &report) {
  TorchProcess torch;
  report.torchError =
      torch.start(options.python, options.source + "/test/bench/gpu/time_torch.py").value_or("");
  report.torch = torch.getVersion();
  for (const Shape &shape : options.shapes) {
    MainTensors tensors(shape);
    for (const Variant *variant : options.chosenVariants) {
      showProgress(variant->name + ", " + getName(shape.dtype) + ", D " +
                   std::to_string(shape.headDim));
      GpuResult result;
      result.variant = variant->name;
      result.shape = shape;
      GpuCase gpuCase(*variant, tensors, gpu);
      result.error = measure(gpuCase, options, target, torch, result).value_or("");
      report.isGpuLost = !result.error.empty() && gpu.isLost();
      report.variants.push_back(std::move(result));
      if (report.isGpuLost)
        return;
    }
  }
}

int fail(const std::string &message, int status) {
  llvm::errs() << "gpu-bench: error: " << message << "\n";
  return status;
}

/// Prints `text` and returns `status`, or that of what keeps it from being printed.
int print(const std::string &text, int status) {
  if (std::optional<driver::RunError> error = driver::writeStandardOutput(text))
    return fail(error->message, error->status);
  return status;
}

int run(const GpuBenchOptions &options) {
  cuda::Gpu gpu;
  if (std::optional<cuda::GpuError> error = gpu.open()) {
    if (!error->isMissing)
      return fail(error->message, Failed);
    llvm::errs() << "gpu-bench: there is no NVIDIA GPU here: " << error->message << "\n";
    return NoGpu;
  }
  if (std::optional<std::string> error = gpu.makeCurrent())
    return fail(*error, Failed);
  llvm::Expected<PtxTarget> target = options.arch.empty()
                                         ? PtxTarget::getForGpu(gpu.getMajor(), gpu.getMinor())
                                         : PtxTarget::get(options.arch);
  if (!target)
    return fail(llvm::toString(target.takeError()), options.arch.empty() ? Failed : BadUsage);
  GpuReport report;
  report.gpu =
      llvm::formatv("{0}, compute capability {1}.{2}, {3} multiprocessors, CUDA {4}.{5}",
                    gpu.getName(), gpu.getMajor(), gpu.getMinor(), gpu.getNumMultiprocessors(),
                    gpu.getDriverVersion() / 1000, gpu.getDriverVersion() % 1000 / 10)
          .str();
  report.arch = target->arch;
  if (const char *name = options.tf32.getName())
    report.arch += std::string(" with ") + name;
  driver::Target compiled = *target;
  compiled.tf32 = options.tf32.getValue();
  bool both = options.check == options.bench;
  if (both || options.check)
    if (auto error = checkGoldens(options, gpu, compiled, report))
      return fail(*error, Failed);
  if (both || options.bench) {
    report.hasVariants = true;
    if (!report.isGpuLost)
      measureVariants(options, gpu, compiled, report);
    showProgress("");
    report.variantsLeft =
        options.shapes.size() * options.chosenVariants.size() - report.variants.size();
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (options.json)
    report.printJSON(os);
  else
    report.printText(os);
  return print(text, report.passes() ? Passed : Failed);
}
} // namespace

int main(int argc, char **argv) {
  driver::reportInternalErrors("gpu-bench");
  GpuBenchOptions options;
  driver::CommandLine commandLine = makeCommandLine(options);
  std::vector<std::string> positional;
  std::optional<std::string> error = commandLine.parse({argv + 1, argv + argc}, positional);
  if (!error && !positional.empty())
    error = "expected options only, got `" + positional.front() + "`";
  if (!error && options.help)
    return print(commandLine.getHelp(), Passed);
  if (!error)
    error = parseLists(options);
  return error ? fail(*error, BadUsage) : run(options);
}
