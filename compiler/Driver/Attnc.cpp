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
static void noteDefaults(const AttncOptions &options, const Target &target,
                         Compilation &compilation) {
  if (!compilation.isSource())
    return;
  std::string defaults;
  if (!options.hasDtype)
    defaults += " --dtype bf16";
  if (!options.hasHeadDim)
    defaults += " --head-dim 128";
  if (options.arch.empty() && target.getKind() == TargetKind::Ptx)
    defaults += " --arch " + target.getName();
  if (!defaults.empty())
    compilation.getDiagnostics().reportOther({}, Severity::Note,
                                             "compiled for the defaults" + defaults);
}

static bool writesToStandardOutput(const AttncOptions &options) {
  return options.output.empty() || options.output == "-";
}

/// Writes `text` to the file `path`; - is standard output.
static std::optional<RunError> writeText(llvm::StringRef path, llvm::StringRef text) {
  if (llvm::Error error = writeOutput(path, [&](llvm::raw_pwrite_stream &os) { os << text; }))
    return RunError{Environment, llvm::toString(std::move(error))};
  return std::nullopt;
}

static std::optional<RunError> writeForm(const AttncOptions &options, const Target &target,
                                         Compilation &compilation) {
  llvm::SmallVector<char, 0> output;
  llvm::raw_svector_ostream buffer(output);
  if (std::optional<RunError> error =
          compilation.write(*options.emit, options.compile, target, buffer))
    return error;
  return writeText(writesToStandardOutput(options) ? "-" : options.output, buffer.str());
}

static std::optional<RunError> writeHeader(const AttncOptions &options, const Target &target,
                                           Compilation &compilation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (std::optional<RunError> error = compilation.writeHeader(options.compile, target.getPtx(), os))
    return error;
  return writeText(options.header, text);
}

static std::optional<RunError> compile(const AttncOptions &options, Compilation &compilation) {
  if (std::optional<RunError> error = compilation.read(options.program))
    return error;
  if (!compilation.isSource())
    if (std::optional<RunError> error = checkOptions(options))
      return error;
  llvm::Expected<Target> target = chooseTarget(options, compilation.getTargetKind());
  if (!target)
    return RunError{BadUsage, options.program + ": " + llvm::toString(target.takeError())};
  if (options.explain) {
    // Beside what is written to standard output, the explanation is a message.
    std::string text;
    llvm::raw_string_ostream os(text);
    if (std::optional<RunError> error = compilation.explain(options.compile, *target, os))
      return error;
    if ((options.emit && writesToStandardOutput(options)) || options.header == "-")
      llvm::errs() << text;
    else if (std::optional<RunError> error = writeStandardOutput(text))
      return error;
  }
  if (options.emit)
    if (std::optional<RunError> error = writeForm(options, *target, compilation))
      return error;
  if (!options.header.empty())
    if (std::optional<RunError> error = writeHeader(options, *target, compilation))
      return error;
  if (options.emit != Phase::Ast)
    noteDefaults(options, *target, compilation);
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
