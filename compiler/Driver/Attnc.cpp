//===- Attnc.cpp - The compiler as a program --------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/Attnc.h"
#include "compiler/Driver/Compilation.h"
#include "compiler/Driver/OutputFile.h"
#include "compiler/Target/KernelInfo/ReadMetadata.h"
#include "compiler/Target/Ptx/LaunchHeader.h"
#include "runtime/cache/DiskCache.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include <ctime>

using namespace attnc;
using namespace attnc::driver;

/// The time this process has computed before it reached the code of the driver.
static double getStartMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

static int fail(const RunError &error) {
  if (!error.message.empty())
    llvm::WithColor::error(llvm::errs(), "attnc") << error.message << '\n';
  return error.status;
}

/// Options that say how to compile an .attn program, given for something else.
static std::optional<RunError> checkOptions(const AttncOptions &options) {
  const CompileOptions &compile = options.compile;
  const char *name = options.hasDtype             ? "--dtype"
                     : options.hasHeadDim         ? "--head-dim"
                     : compile.lse                ? "--lse"
                     : compile.checked            ? "--checked"
                     : !compile.name.empty()      ? "--name"
                     : !compile.defines.empty()   ? "-D"
                     : !compile.approx.empty()    ? "--approx"
                     : options.emit == Phase::Ast ? "--emit=ast"
                                                  : nullptr;
  if (!name)
    return std::nullopt;
  return RunError{BadUsage, options.program + ": `" + name +
                                "` expects an .attn program, got IR, whose kernels are fixed"};
}

/// Says which defaults the kernels were compiled for.
static void noteDefaults(const AttncOptions &options, llvm::ArrayRef<Target> targets,
                         Compilation &compilation) {
  if (!compilation.isSource())
    return;
  std::string defaults;
  if (!options.hasDtype)
    defaults += " --dtype bf16";
  if (!options.hasHeadDim)
    defaults += " --head-dim 128";
  if (options.archs.empty() && targets.front().getKind() == TargetKind::Ptx)
    defaults += " --arch " + targets.front().getName();
  if (!defaults.empty())
    compilation.getDiagnostics().reportOther({}, Severity::Note,
                                             "compiled for the defaults" + defaults);
}

static bool writesToStandardOutput(const AttncOptions &options) {
  return options.output.empty() || options.output == "-";
}

namespace {
/// All that a run of the compiler writes.
struct Results {
  std::string explanation;
  std::vector<Output> files;
  std::vector<GpuModule> gpuModules; ///< of the header
};
} // namespace

/// Adds what is asked for of `target`.
static std::optional<RunError> compileFor(const Target &target, const AttncOptions &options,
                                          Compilation &compilation, Results &results) {
  if (options.explain) {
    llvm::raw_string_ostream os(results.explanation);
    if (std::optional<RunError> error = compilation.explain(options.compile, target, os))
      return error;
  }
  if (options.emit) {
    llvm::SmallVector<char, 0> text;
    llvm::raw_svector_ostream buffer(text);
    if (std::optional<RunError> error =
            compilation.write(*options.emit, options.compile, target, buffer))
      return error;
    results.files.push_back({getOutputPath(options, target.getName()), buffer.str().str()});
  }
  if (options.header.empty())
    return std::nullopt;
  return compilation.makeGpuModule(options.compile, target, results.gpuModules.emplace_back());
}

static std::optional<RunError> compile(const AttncOptions &options, Compilation &compilation) {
  if (std::optional<RunError> error = compilation.read(options.program))
    return error;
  if (!compilation.isSource())
    if (std::optional<RunError> error = checkOptions(options))
      return error;
  if (!options.tile.empty() && compilation.getPhase() >= Phase::Tile)
    return RunError{BadUsage, options.program +
                                  ": `--tile` expects a program or a form before "
                                  "`tile`, got `" +
                                  getInfo(*compilation.getPhase()).name.str() + "`"};
  llvm::Expected<std::vector<Target>> targets = chooseTargets(options, compilation.getTargetKind());
  if (!targets)
    return RunError{BadUsage, options.program + ": " + llvm::toString(targets.takeError())};
  Results results;
  if (std::optional<RunError> error =
          compilation.forEachTarget(options.compile, *targets, [&](const Target &target) {
            return compileFor(target, options, compilation, results);
          }))
    return error;
  if (!options.header.empty()) {
    Output &header = results.files.emplace_back(Output{options.header, ""});
    llvm::raw_string_ostream os(header.text);
    writeLaunchHeader(compilation.getIdentifier(options.compile), results.gpuModules, os);
  }
  // Beside what is written to standard output, the explanation is a message.
  bool isMessage = (options.emit && writesToStandardOutput(options)) || options.header == "-";
  if (isMessage)
    llvm::errs() << results.explanation;
  else if (std::optional<RunError> error = writeStandardOutput(results.explanation))
    return error;
  if (llvm::Error error = writeOutputs(results.files))
    return RunError{Environment, llvm::toString(std::move(error))};
  if (options.emit != Phase::Ast)
    noteDefaults(options, *targets, compilation);
  return std::nullopt;
}

/// Prints the metadata of the kernels in a file.
static std::optional<RunError> inspect(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                                 /*RequiresNullTerminator=*/false);
  if (!file)
    return RunError{Environment, path + ": cannot read: " + file.getError().message()};
  llvm::Expected<llvm::json::Array> metadata = readMetadata(**file);
  if (!metadata)
    return RunError{BadInput, path + ": " + llvm::toString(metadata.takeError())};
  return writeStandardOutput(
      llvm::formatv("{0:2}\n", llvm::json::Value(std::move(*metadata))).str());
}

/// Prints what is in the cache of compiled kernels, or removes it.
static std::optional<RunError> manageCache(const AttncOptions &options) {
  DiskCache cache(DiskCache::getDefaultFolder());
  if (options.cacheClear)
    if (std::optional<std::string> error = cache.clear())
      return RunError{Environment, *error};
  DiskCache::Info info = cache.getInfo();
  if (!info.problem.empty())
    return RunError{Environment, info.problem};
  if (!options.cacheInfo)
    return std::nullopt;
  return writeStandardOutput(llvm::formatv("folder   {0}\nkernels  {1}\nbytes    {2}\n",
                                           cache.getFolder(), info.entries, info.bytes)
                                 .str());
}

int driver::runAttnc(const std::vector<std::string> &words) {
  StageTimes times;
  times.add("start of the process", getStartMilliseconds());
  AttncOptions options;
  if (std::optional<std::string> error = parseAttncOptions(words, options))
    return fail({BadUsage, *error});
  std::optional<RunError> error;
  if (options.help || options.version) {
    error = writeStandardOutput(options.help ? getAttncHelp()
                                             : "attnc " ATTNC_VERSION
                                               " with LLVM " LLVM_VERSION_STRING "\n");
    return error ? fail(*error) : Success;
  }
  if (options.cacheInfo || options.cacheClear) {
    error = manageCache(options);
    return error ? fail(*error) : Success;
  }
  if (!options.inspect.empty()) {
    error = inspect(options.inspect);
    return error ? fail(*error) : Success;
  }
  {
    Compilation compilation(times);
    error = compile(options, compilation);
    DiagnosticEngine &diagnostics = compilation.getDiagnostics();
    if (options.jsonDiagnostics)
      diagnostics.printJSON(llvm::errs());
    else
      diagnostics.printText(llvm::errs(), llvm::errs().has_colors());
  }
  if (options.timePasses)
    times.print(llvm::errs());
  return error ? fail(*error) : Success;
}
