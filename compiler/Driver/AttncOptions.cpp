//===- AttncOptions.cpp - The command line of attnc -------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/AttncOptions.h"
#include "compiler/Conversion/AttnToTile/RequestedTile.h"
#include "compiler/Driver/CommandLine.h"
#include "compiler/Driver/OutputFile.h"
#include "dialect/Attn/IR/HeadDim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace attnc;
using namespace attnc::driver;

namespace {
/// What was expected of a value, or nothing.
using Expected = std::optional<std::string>;

/// The architecture of GPUs if none is named: the oldest.
const std::string defaultGpu = "sm_80";

bool isName(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text[0]) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

Expected setDtypes(AttncOptions &options, const std::string &text) {
  std::vector<ElementType> types;
  for (const std::string &part : split(text, ',')) {
    std::optional<ElementType> type = parseElementType(part);
    if (!type || !isFloat(*type))
      return "f32, f16 or bf16, or several with commas";
    if (!llvm::is_contained(types, *type))
      types.push_back(*type);
  }
  options.compile.dtypes = types;
  options.hasDtype = true;
  return std::nullopt;
}

Expected setHeadDims(AttncOptions &options, const std::string &text) {
  std::vector<HeadDims> all;
  for (const std::string &part : split(text, ',')) {
    std::vector<std::string> numbers = split(part, ':');
    std::optional<int64_t> head = parseInteger(numbers.front());
    std::optional<int64_t> value = parseInteger(numbers.back());
    auto isDim = [](std::optional<int64_t> dim) { return dim && attn::isHeadDim(*dim); };
    if (numbers.size() > 2 || !isDim(head) || !isDim(value))
      return "D or D:Dv " + attn::getHeadDimRange() + ", or several with commas";
    if (llvm::none_of(all,
                      [&](HeadDims dims) { return dims.head == *head && dims.value == *value; }))
      all.push_back({*head, *value});
  }
  options.compile.headDims = all;
  options.hasHeadDim = true;
  return std::nullopt;
}

Expected setEmit(AttncOptions &options, const std::string &text) {
  options.emit = parsePhase(text);
  if (options.emit)
    return std::nullopt;
  return "one of " +
         llvm::join(
             llvm::map_range(getPhases(), [](const PhaseInfo &info) { return info.name.str(); }),
             ", ");
}

Expected setArchs(AttncOptions &options, const std::string &text) {
  options.archs.clear();
  for (const std::string &part : split(text, ',')) {
    if (part != "host" && !llvm::is_contained(PtxTarget::getNames(), part))
      return "host, or one of " + llvm::join(PtxTarget::getNames(), ", ") +
             ", or several of these with commas";
    if (!llvm::is_contained(options.archs, part))
      options.archs.push_back(part);
  }
  return std::nullopt;
}

Expected setTile(AttncOptions &options, const std::string &text) {
  options.tile = text;
  return parseTile(text) ? Expected() : getTileRange();
}

Expected setCpu(AttncOptions &options, const std::string &text) {
  options.cpu = text;
  if (llvm::is_contained(HostTarget::getNames(), text))
    return std::nullopt;
  return "one of " + llvm::join(HostTarget::getNames(), ", ");
}

Expected setTriple(AttncOptions &options, const std::string &text) {
  options.triple = text;
  if (llvm::is_contained(HostTarget::getTriples(), text))
    return std::nullopt;
  return "one of " + llvm::join(HostTarget::getTriples(), ", ");
}

Expected addDefine(AttncOptions &options, const std::string &text) {
  auto [name, value] = llvm::StringRef(text).split('=');
  if (!isName(name) || value.empty())
    return "NAME=VALUE";
  options.compile.defines.emplace_back(name.str(), value.str());
  return std::nullopt;
}

Expected setName(AttncOptions &options, const std::string &text) {
  options.compile.name = text;
  return isName(text) ? Expected() : "a name of letters, digits and _";
}

Expected addApprox(AttncOptions &options, const std::string &text) {
  return addNames(text, options.compile.approx);
}

Expected setDiagnostics(AttncOptions &options, const std::string &text) {
  options.jsonDiagnostics = text == "json";
  return text == "json" || text == "text" ? Expected() : "text or json";
}

std::string getEmitHelp() {
  std::string text = "what to write, if not what OUT's suffix says (.o .so .s .ll .mlir .ptx "
                     ".cubin); of GPUs in a "
                     "package (.attnpkg) cubin, if not ptx:";
  for (const PhaseInfo &info : getPhases())
    text += " " + info.name.str();
  return text + " (see below)";
}

/// The table of phases under the options.
std::string getPhaseHelp() {
  std::string text = "\nForms of a program, in the order it takes them (--emit):\n";
  for (const PhaseInfo &info : getPhases())
    text += "  " + info.name.str() + std::string(24 - info.name.size(), ' ') +
            (info.targets == PhaseTargets::Host  ? "CPUs: "
             : info.targets == PhaseTargets::Ptx ? "GPUs: "
                                                 : "") +
            info.description.str() + "\n";
  return text;
}

/// All options, which fill `options` as they are parsed.
CommandLine makeCommandLine(AttncOptions &options) {
  auto with = [&options](Expected (*set)(AttncOptions &, const std::string &)) {
    return [&options, set](const std::string &text) { return set(options, text); };
  };
  CompileOptions &compile = options.compile;
  std::vector<Option> tf32 = options.tf32.makeOptions();
  std::vector<OptionGroup> groups = {
      {"Output",
       {makeString("-o", "OUT", options.output, "the file to write; - is standard output"),
        {"--emit", "FORM", getEmitHelp(), with(setEmit)},
        makeString(
            "--header", "FILE", options.header,
            "write a C and C++ header: of an object file (-o OUT.o), the functions in it, which "
            "need no library; else the kernels for GPUs as a byte array, and what launching "
            "them takes"),
        makeFlag("--line-info", options.lineInfo,
                 "for GPUs: note the program's lines in PTX (.loc) and cubins, for profilers"),
        makeFlag("--explain", options.explain,
                 "say what is known of the mask, how the kernel is scheduled and what memory it "
                 "works in; for GPUs also what each mod and conjunct costs, as a model has it"),
        makeString(
            "--inspect", "FILE", options.inspect,
            "print the metadata of the kernels in a file that attnc has written (.ptx .cubin "
            ".o .so .attnpkg), as JSON")}},
      {"Kernels",
       {{"--dtype", "TYPE[,TYPE...]", "f32, f16 or bf16 of q, k, v and o; bf16 if not given",
         with(setDtypes)},
        {"--head-dim", "D[:Dv][,...]",
         "the last dimension of q and k, and that of v where it differs; 128 if not given",
         with(setHeadDims)},
        makeFlag("--lse", compile.lse, "also write the log-sum-exp of each row"),
        {"--name", "NAME", "what the kernels' names begin with; the file's name if not given",
         with(setName)},
        {"-D", "NAME=VALUE", "replace the value of a constant of the program", with(addDefine)},
        {"--approx", "NAME[,...]",
         "allow an approximation of a builtin, for instance tanh, beyond the usual 4 ulp",
         with(addApprox)},
        makeFlag("--checked", compile.checked,
                 "report the first index that was clamped at a pair that takes part")}},
      {"Target",
       {{"--arch", "ARCH[,ARCH...]",
         "host: this kind of machine; or the oldest NVIDIA GPU: " +
             llvm::join(PtxTarget::getNames(), ", ") +
             ". Several GPUs give a file each, OUT with the architecture before its suffix, and "
             "one header; a package has all, and host beside them. If not given, sm_80 for .ptx, "
             ".cubin and --header, else host",
         with(setArchs)},
        {"--tile", "QUERIESxKEYS",
         "for GPUs: the queries that a block of threads computes and the keys that it takes at a "
         "time, 128x64 for instance, instead of what the schedule chooses",
         with(setTile)},
        tf32[0],
        tf32[1],
        {"--cpu", "CPU",
         "for the host: native (this CPU), x86-64-v4-bf16 (AVX512_BF16), x86-64-v4 (AVX-512), "
         "x86-64-v3 (AVX2) or x86-64 (any). If not given, .o, .so and packages have the last "
         "three, "
         "and for bf16 the one before; a machine takes the first that it is of",
         with(setCpu)},
        {"--target", "TRIPLE",
         "the machine that host stands for: " + llvm::join(HostTarget::getTriples(), " or "),
         with(setTriple)}}},
      {"Messages",
       {{"--diagnostics", "FORM", "text, or json: one object a line, for editors",
         with(setDiagnostics)},
        makeFlag("--time-passes", options.timePasses, "print the time of each stage"),
        makeFlag(
            "--cache-info", options.cacheInfo,
            "print where programs keep the kernels that they compile as they run, and how many "
            "there are"),
        makeFlag("--cache-clear", options.cacheClear, "remove all of these"),
        makeFlag("--help", options.help, "print this"),
        makeFlag("--version", options.version, "print the version")}}};
  return CommandLine(
      "attnc", "FILE... [-o OUT] [options]",
      "Compiles an attention variant to fused kernels. FILE is an .attn program, or "
      "a form that\n--emit printed (.mlir); - is standard input. Several become one package.\n",
      std::move(groups),
      getPhaseHelp() +
          R"(
Examples:
  attnc gemma2.attn -o gemma2.so                    one kernel for bf16 and head dim 128
  attnc gemma2.attn -o gemma2.o --header gemma2.h   the same as a function of C, without a runtime
  attnc gemma2.attn -o gemma2.o --header gemma2.h --target aarch64-linux-gnu
  attnc gemma2.attn -o gemma2.so --dtype f16,bf16 --head-dim 64,192:128 --lse
  attnc gemma2.attn -o gemma2.ptx                   the same for NVIDIA GPUs from sm_80 on
  attnc gemma2.attn --arch sm_90 -o gemma2.cubin --header gemma2.h
  attnc gemma2.attn --arch sm_80,sm_90 -o gemma2.ptx   gemma2.sm_80.ptx and gemma2.sm_90.ptx
  attnc gemma2.attn alibi.attn --arch sm_80,sm_90,host -o kernels.attnpkg   all in one file
  attnc --inspect gemma2.cubin                      what launching its kernels takes
  attnc gemma2.attn --explain                       what the compiler knows of the mask
  attnc gemma2.attn --emit=tile                     how a block of queries is computed
  attnc gemma2.attn --emit=tile -o t.mlir && attnc t.mlir --emit=asm
  attnc gemma2.attn -D window=512 --cpu x86-64-v3 -o gemma2.s

Exit status: 0 done, 1 errors in the program, 2 in the command line, 3 in the environment (files, ptxas).
)");
}
} // namespace

/// What does not go together, of options for several architectures that write `form`.
static std::optional<std::string> checkSeveral(const AttncOptions &options, const PhaseInfo &form) {
  std::string archs = llvm::join(options.archs, ",");
  if (form.phase < Phase::Tile)
    return "`--arch` expects one architecture for the form `" + form.name.str() +
           "`, which is the same for all GPUs, got `" + archs + "`";
  if (options.output.empty() || options.output == "-")
    return "`--arch " + archs + "` writes a file for each: expected `-o` with a name, got " +
           "standard output";
  return std::nullopt;
}

std::string driver::getOutputPath(const AttncOptions &options, llvm::StringRef arch) {
  if (options.output.empty())
    return "-";
  if (options.archs.size() < 2)
    return options.output;
  llvm::StringRef suffix = llvm::sys::path::extension(options.output);
  return (llvm::StringRef(options.output).drop_back(suffix.size()) + "." + arch + suffix).str();
}

/// An option for GPUs that nothing of what is written depends on.
static std::optional<std::string> checkEffects(const AttncOptions &options) {
  const PhaseInfo *form = options.emit ? &getInfo(*options.emit) : nullptr;
  bool isSchedulePrinted = options.explain || !options.header.empty();
  if (!options.tile.empty() && !isSchedulePrinted && form && form->phase < Phase::Tile)
    return "`--tile` expects `--explain`, `--header` or a form from `tile` on, got `" +
           form->name.str() + "`, for which no tile is chosen yet";
  if (const char *name = options.tf32.getName();
      name && !isSchedulePrinted && form && form->phase < Phase::Tile)
    return "`" + std::string(name) +
           "` expects `--explain`, `--header` or a form from `tile` on, got `" + form->name.str() +
           "`, which is the same without it";
  bool hasLines = form && (form->phase == Phase::Ptx || form->phase == Phase::Cubin);
  bool isForHost = form && form->targets == PhaseTargets::Host;
  if (options.lineInfo && options.header.empty() && !hasLines && !isForHost)
    return "`--line-info` expects `--header` or the form `ptx` or `cubin`, got " +
           (form ? "`" + form->name.str() + "`" : std::string("`--explain` alone")) +
           ", which notes no lines";
  return std::nullopt;
}

/// What does not go together, of options for a package.
static std::optional<std::string> checkPackage(const AttncOptions &options) {
  bool isForGpu =
      llvm::any_of(options.archs, [](const std::string &arch) { return arch != "host"; });
  if (options.emit && options.emit != Phase::Ptx && options.emit != Phase::Cubin)
    return "a package has host images, and for GPUs PTX or `--emit=cubin`, got `--emit=" +
           getInfo(*options.emit).name.str() + "`";
  if (options.emit && !isForGpu)
    return "`--emit=" + getInfo(*options.emit).name.str() + "` expects `--arch " + defaultGpu +
           "` or another GPU in the package, got " +
           (options.archs.empty() ? "none" : "`" + llvm::join(options.archs, ",") + "`");
  if (!options.header.empty())
    return "`--header` expects a file of one form, got the package `" + options.output + "`";
  if (!options.triple.empty() && isForGpu && !llvm::is_contained(options.archs, "host"))
    return "`--target` expects `--arch host` in the package, got `" +
           llvm::join(options.archs, ",") + "`";
  if (!options.cpu.empty() && !options.triple.empty() &&
      !HostTarget::getForTriple(options.triple).isX86())
    return "`--cpu` expects `--target x86_64-linux-gnu`, got `" + options.triple + "`";
  if (options.programs.size() > 1 && !options.compile.name.empty())
    return "`--name` expects one program, got " + std::to_string(options.programs.size());
  return std::nullopt;
}

/// What does not go together, of options that say what to write.
static std::optional<std::string> checkOutputs(const AttncOptions &options) {
  if (options.isPackage())
    return checkPackage(options);
  if (!options.emit && !options.output.empty())
    return "`-o` expects a name that ends in .o, .so, .s, .ll, .mlir, .ptx, .cubin or .attnpkg, or "
           "--emit beside it, got `" +
           options.output + "`";
  if (options.archs.size() > 1 && llvm::is_contained(options.archs, "host"))
    return "`--arch " + llvm::join(options.archs, ",") +
           "` expects a package, `-o NAME.attnpkg`, which takes the host beside GPUs";
  if (!options.emit && !options.explain && options.header.empty())
    return "nothing to write: expected -o OUT, --emit=FORM, --header FILE or --explain";
  bool isForHost = !options.archs.empty() && options.archs.front() == "host";
  bool isForGpu = !options.archs.empty() && !isForHost;
  bool isObject = options.emit == Phase::Obj;
  if (isObject && options.compile.checked)
    return "`--checked` expects `attn-run`, which shows what is reported; functions of an object "
           "file report nothing";
  if (!options.header.empty() && isForHost && !isObject)
    return "`--header` expects `-o NAME.o`, or `--arch " + defaultGpu +
           "` or another GPU, got `host`";
  if (!options.triple.empty() && isForGpu)
    return "`--target` expects `--arch host`, got `" + llvm::join(options.archs, ",") + "`";
  bool isForArm = !options.triple.empty() && !HostTarget::getForTriple(options.triple).isX86();
  if (isForArm && !options.cpu.empty())
    return "`--cpu` expects `--target x86_64-linux-gnu`, got `" + options.triple + "`";
  if (std::optional<std::string> error = checkEffects(options))
    return error;
  if (!options.emit)
    return std::nullopt;
  const PhaseInfo &form = getInfo(*options.emit);
  if (form.targets == PhaseTargets::Ptx && isForHost)
    return "the form `" + form.name.str() + "` expects `--arch " + defaultGpu +
           "` or another GPU, got `host`";
  if (form.targets == PhaseTargets::Host && isForGpu)
    return "the form `" + form.name.str() + "` expects `--arch host`, got `" +
           llvm::join(options.archs, ",") + "`";
  if (form.targets == PhaseTargets::Host && !options.header.empty() && !isObject)
    return "`--header` expects `obj` or a form for GPUs beside it, got `" + form.name.str() + "`";
  if (options.archs.size() > 1)
    if (std::optional<std::string> error = checkSeveral(options, form))
      return error;
  std::vector<OutputName> names;
  for (const std::string &arch : options.archs.empty() ? std::vector{defaultGpu} : options.archs)
    names.push_back({"-o", getOutputPath(options, arch)});
  if (!options.header.empty())
    names.push_back({"--header", options.header});
  return checkDistinct(names);
}

std::optional<std::string> driver::parseAttncOptions(const std::vector<std::string> &words,
                                                     AttncOptions &options) {
  std::vector<std::string> files;
  if (std::optional<std::string> error = makeCommandLine(options).parse(words, files))
    return error;
  if (options.help || options.version)
    return std::nullopt;
  if (options.cacheInfo || options.cacheClear)
    return files.empty()
               ? std::nullopt
               : std::optional("`--cache-" + std::string(options.cacheInfo ? "info" : "clear") +
                               "` expects no file, got `" + files.front() + "`");
  if (!options.inspect.empty())
    return files.empty()
               ? std::nullopt
               : std::optional("`--inspect` expects no other file, got `" + files.front() + "`");
  if (files.empty() || (files.size() > 1 && !options.isPackage()))
    return "expected one FILE, got " + std::to_string(files.size()) +
           (files.empty() ? "" : ", which become a package alone, `-o NAME.attnpkg`") +
           "; --help shows how";
  if (std::optional<std::string> error = options.tf32.check())
    return error;
  options.programs = files;
  if (!options.emit && !options.output.empty())
    options.emit = getPhaseOfFile(options.output);
  return checkOutputs(options);
}

/// The CPUs that code is for, for a program as chooseTargets() takes it.
static llvm::Expected<std::vector<Target>>
getHostTargets(const AttncOptions &options, std::optional<TargetKind> kind, bool isForOneCpu) {
  if (kind == TargetKind::Ptx)
    return llvm::createStringError("expected IR for the host, got kernels for GPUs");
  const char *name = !options.tile.empty() ? "--tile"
                     : options.lineInfo    ? "--line-info"
                                           : options.tf32.getName();
  if (name && options.archs.size() < 2)
    return llvm::createStringError("`" + std::string(name) + "` expects `--arch " + defaultGpu +
                                   "` or another GPU, got `host`");
  if (!options.triple.empty() && options.cpu.empty() && isForOneCpu)
    return llvm::createStringError("`--target` expects a program or a form before `expanded`, got "
                                   "IR for one CPU");
  if (!options.triple.empty() && !HostTarget::getForTriple(options.triple).isX86())
    return std::vector<Target>{HostTarget::getForTriple(options.triple)};
  bool hasLevels =
      options.isPackage() || options.emit == Phase::Obj || options.emit == Phase::Image;
  if (hasLevels && options.cpu.empty() && !isForOneCpu) {
    std::vector<Target> targets;
    bool hasBf16 = llvm::is_contained(options.compile.dtypes, ElementType::BF16);
    for (const HostTarget &level : HostTarget::getLevels(hasBf16))
      targets.push_back(level);
    return targets;
  }
  llvm::Expected<HostTarget> target = HostTarget::get(options.cpu.empty() ? "native" : options.cpu);
  if (!target)
    return target.takeError();
  return std::vector<Target>{*target};
}

/// The GPU `arch`, for a program as chooseTargets() takes it.
static llvm::Expected<Target> getGpuTarget(const AttncOptions &options, const std::string &arch,
                                           std::optional<TargetKind> kind) {
  if (kind == TargetKind::Host)
    return llvm::createStringError("expected IR for `" + arch + "`, got kernels for the host");
  if (!options.cpu.empty() && !llvm::is_contained(options.archs, "host"))
    return llvm::createStringError("`--cpu` expects `--arch host`, got `--arch " + arch + "`");
  llvm::Expected<PtxTarget> target = PtxTarget::get(arch);
  if (!target)
    return target.takeError();
  Target gpu(*target);
  gpu.tile = options.tile;
  gpu.tf32 = options.tf32.getValue();
  gpu.lineInfo = options.lineInfo;
  return gpu;
}

llvm::Expected<std::vector<Target>> driver::chooseTargets(const AttncOptions &options,
                                                          std::optional<TargetKind> kind,
                                                          bool isForOneCpu) {
  PhaseTargets takenBy =
      options.emit && !options.isPackage() ? getInfo(*options.emit).targets : PhaseTargets::Every;
  if (!options.header.empty() && options.emit != Phase::Obj)
    takenBy = PhaseTargets::Ptx;
  std::vector<std::string> archs = options.archs;
  if (archs.empty()) {
    bool isForGpu =
        takenBy == PhaseTargets::Ptx || (takenBy == PhaseTargets::Every && kind == TargetKind::Ptx);
    archs.push_back(isForGpu ? defaultGpu : "host");
  }
  std::vector<Target> targets;
  for (const std::string &arch : archs) {
    if (arch == "host") {
      llvm::Expected<std::vector<Target>> hosts = getHostTargets(options, kind, isForOneCpu);
      if (!hosts)
        return hosts.takeError();
      llvm::append_range(targets, *hosts);
      continue;
    }
    llvm::Expected<Target> target = getGpuTarget(options, arch, kind);
    if (!target)
      return target.takeError();
    targets.push_back(*target);
  }
  return targets;
}

std::string driver::getAttncHelp() {
  AttncOptions options;
  return makeCommandLine(options).getHelp();
}
