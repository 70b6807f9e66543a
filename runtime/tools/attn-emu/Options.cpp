//===- Options.cpp - The command line of attn-emu -------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/tools/attn-emu/Options.h"

#include <algorithm>
#include <charconv>

namespace attnc::emu {

const char *getUsage() {
  return R"(usage: attn-emu FILE.ptx --entry NAME [options]
Runs a kernel of a PTX file on the CPU and checks every access.

  --entry NAME            the kernel; may be left out if the file has one
  --list                  print the kernels of the file and their parameters
  --grid X[xYxZ]          blocks (default 1)
  --block X[xYxZ]         threads of a block (default 32)
  --shared BYTES          dynamic shared memory (default 0)
  --arg NAME=VALUE        next argument, in parameter order:
                            TYPE:NUMBER           a scalar, e.g. n=i32:1024
                            TYPE[SHAPE]:FILL      a buffer, e.g. x=f32[4,256]:zeros
                            FILE.safetensors#KEY  a buffer with the contents of a tensor
                            {NAME=VALUE;...}      a structure of these, passed by value
                          types: f64 f32 f16 bf16 i64 u64 i32 u32 i16 u16 i8 u8 bool
                          fills: zeros ones iota random random:SEED uninit NUMBER
  --out FILE.safetensors  write all buffers afterwards
  --schedules ci|N        explore the five CI schedules or N of them (default: one)
  --seed S                seed of the schedules (default 1)
  --perturb-approx        draw approximate results inside their documented bounds
  --no-checks             keep only the checks of bounds and alignment
  --strict                warnings, divisions by zero and conversions of NaN are faults
  --steps N               warp instructions of a block before it counts as hanging
  --workers N             threads that run blocks (default: one per core)
  --stats                 print counters
  --json                  print faults as JSON
  --max-reports N         faults printed (default 20)
  --trace BLOCK,WARP      print each instruction of a warp
  --break LINE            print the state of each warp that comes to a PTX line
  --watch ADDRESS         print accesses to an address (shared memory: its offset)
  --print REGISTER        print a register at breaks and traced instructions
  --help
The exit status is 0 without faults, 1 with faults, 2 if the kernel could not be run.
)";
}

std::optional<uint64_t> parseNumber(std::string_view text) {
  int base = 10;
  if (text.substr(0, 2) == "0x") {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (status != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return value;
}

std::optional<Dim3> parseDim(std::string_view text) {
  Dim3 dim{1, 1, 1};
  for (size_t i = 0; i < 3; ++i) {
    size_t end = text.find_first_of("x,");
    std::optional<uint64_t> value = parseNumber(text.substr(0, end));
    if (!value || *value > 0xFFFFFFFF)
      return std::nullopt;
    dim[i] = static_cast<uint32_t>(*value);
    if (end == std::string_view::npos)
      return dim;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

ParseResult parseOptions(int argc, char **argv, Options &options, std::string &error) {
  options.config.block = {32, 1, 1};
  std::string schedules;
  uint64_t seed = 1;
  auto fail = [&](std::string message) {
    error = std::move(message);
    return ParseResult::Error;
  };
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--help" || name == "-h")
      return ParseResult::Help;
    if (name == "--perturb-approx") {
      options.launch.perturbApproximations = true;
      continue;
    }
    if (name == "--no-checks") {
      options.launch.checks = false;
      continue;
    }
    if (name == "--strict") {
      options.launch.strict = true;
      continue;
    }
    if (name == "--stats") {
      options.launch.statistics = true;
      continue;
    }
    if (name == "--json") {
      options.isJson = true;
      continue;
    }
    if (name == "--list") {
      options.listsKernels = true;
      continue;
    }
    if (name.substr(0, 2) != "--") {
      if (!options.file.empty())
        return fail("more than one file: `" + options.file + "` and `" + name + "`");
      options.file = name;
      continue;
    }
    constexpr std::string_view valued[] = {"--entry", "--grid",    "--block",       "--shared",
                                           "--arg",   "--out",     "--schedules",   "--seed",
                                           "--steps", "--workers", "--max-reports", "--trace",
                                           "--break", "--watch",   "--print"};
    bool isKnown = false;
    for (std::string_view known : valued)
      isKnown |= name == known;
    if (!isKnown)
      return fail("unknown option `" + name + "`");
    if (i + 1 >= argc)
      return fail("`" + name + "` needs a value");
    std::string value = argv[++i];
    std::optional<uint64_t> number = parseNumber(value);
    auto needNumber = [&] { return "`" + name + "` needs a number, got `" + value + "`"; };
    if (name == "--entry") {
      options.entry = value;
    } else if (name == "--arg") {
      options.arguments.push_back(value);
    } else if (name == "--out") {
      options.outFile = value;
    } else if (name == "--schedules") {
      if (value != "ci" && (!number || *number == 0 || *number > 100000))
        return fail("`--schedules` needs `ci` or a number, got `" + value + "`");
      schedules = value;
    } else if (name == "--print") {
      options.observation.registers.push_back(value);
    } else if (name == "--grid" || name == "--block") {
      std::optional<Dim3> dim = parseDim(value);
      if (!dim)
        return fail("`" + name + "` needs up to three numbers, got `" + value + "`");
      (name == "--grid" ? options.config.grid : options.config.block) = *dim;
    } else if (name == "--trace") {
      std::optional<Dim3> dim = parseDim(value);
      if (!dim || value.find(',') == std::string::npos)
        return fail("`--trace` needs BLOCK,WARP, got `" + value + "`");
      options.observation.trace = {(*dim)[0], (*dim)[1]};
    } else if (!number) {
      return fail(needNumber());
    } else if (name == "--shared") {
      options.config.dynamicShared = *number;
    } else if (name == "--seed") {
      seed = *number;
    } else if (name == "--steps") {
      options.launch.stepBudget = *number;
    } else if (name == "--workers") {
      options.launch.workers = static_cast<unsigned>(std::min<uint64_t>(*number, 1024));
    } else if (name == "--max-reports") {
      options.maximumReports = *number;
    } else if (name == "--break") {
      options.observation.breakLines.push_back(static_cast<uint32_t>(*number));
    } else {
      options.observation.watches.push_back(*number);
    }
  }
  if (options.file.empty())
    return fail("no PTX file given");
  if (schedules.empty())
    options.schedules = {Schedule{WarpOrder::RoundRobin, Landing::Latest, seed}};
  else
    options.schedules = getSchedules(parseNumber(schedules).value_or(5), seed);
  return ParseResult::Run;
}

} // namespace attnc::emu
