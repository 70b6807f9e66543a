//===- attn-sweep.cpp - Random programs against the reference ---------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/CommandLine.h"
#include "test/sweep/SweepProgram.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace attnc;
using namespace attnc::sweep;

namespace {
struct SweepOptions {
  int64_t cases = 2000, from = 0, jobs = 0, seed = 1, only = -1, seconds = 120;
  std::string save, device = "both";
  bool verbose = false, help = false;
};

/// What a worker process tells its parent, in shared memory.
struct Progress {
  std::atomic<int64_t> current = -1; ///< the case it is at
  std::atomic<int64_t> passed = 0;
  std::atomic<int64_t> failed = 0;
  std::atomic<int64_t> pairs = 0;
  std::atomic<int64_t> takingPart = 0;
};

driver::CommandLine makeCommandLine(SweepOptions &options) {
  return driver::CommandLine(
      "attn-sweep", "[options]",
      "Runs random programs on random tensors and compares the host with the reference, and the "
      "reference\nwith itself after the passes over the attn dialect; or kernels for GPUs, in the "
      "emulator, with the reference.\n",
      {{"Options",
        {driver::makeInteger("--cases", options.cases, "launches to run, 4 of each program", 0),
         driver::makeInteger("--from", options.from, "the number of the first", 0),
         driver::makeInteger("--only", options.only, "runs this case alone", 0),
         driver::makeInteger("--seed", options.seed,
                             "another seed gives other cases under each number", 0),
         driver::makeInteger("--jobs", options.jobs, "processes (one a core)", 0),
         driver::makeInteger("--seconds", options.seconds, "a case that takes longer has hung", 0),
         driver::makeString("--device", "host|passes|both|emulator", options.device,
                            "what is compared"),
         driver::makeString("--save", "FOLDER", options.save,
                            "writes each failing case there: program, tensors, command"),
         driver::makeFlag("--verbose", options.verbose, "prints every program"),
         driver::makeFlag("--help", options.help, "prints this text")}}},
      "\nExit status: 0 all agree, 1 some do not, 2 command line.\n");
}

SweepDevices getDevices(const SweepOptions &options) {
  SweepDevices devices;
  devices.host = options.device == "host" || options.device == "both";
  devices.passes = options.device == "passes" || options.device == "both";
  devices.emulator = options.device == "emulator";
  return devices;
}

std::string getFolder(const SweepOptions &options, int64_t number) {
  return options.save + "/case-" + std::to_string(number);
}

void reportFailure(const SweepOptions &options, SweepProgram &program, int64_t number,
                   const std::string &what) {
  std::string text = "FAILED case " + std::to_string(number) + " (attn-sweep --seed " +
                     std::to_string(options.seed) + " --only " + std::to_string(number) +
                     "): " + what + "--- program.attn, with" + program.getOptions() + "\n" +
                     program.getText() + "---\n";
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  if (!options.save.empty())
    program.save(number % SweepProgram::launchesPerProgram, getFolder(options, number));
}

/// Runs the cases of one program among [begin, end).
void runProgram(const SweepOptions &options, int64_t index, int64_t begin, int64_t end,
                Progress &progress) {
  constexpr int64_t launches = SweepProgram::launchesPerProgram;
  begin = std::max(begin, index * launches);
  end = std::min(end, (index + 1) * launches);
  progress.current = begin;
  SweepProgram program(static_cast<uint64_t>(options.seed), index, getDevices(options));
  if (options.verbose)
    std::printf("--- program %ld, with%s\n%s", static_cast<long>(index),
                program.getOptions().c_str(), program.getText().c_str());
  std::fflush(stdout);
  std::string error = program.compile();
  if (!error.empty()) {
    reportFailure(options, program, begin, error);
    progress.failed += end - begin;
    return;
  }
  for (int64_t number = begin; number < end; ++number) {
    progress.current = number;
    error = program.runLaunch(number % launches);
    if (!error.empty())
      reportFailure(options, program, number, error);
    ++(error.empty() ? progress.passed : progress.failed);
  }
  progress.pairs += program.getNumPairs();
  progress.takingPart += program.getNumTakingPart();
}

/// A worker process and the programs it still has to do: next, next + jobs, ...
struct Worker {
  pid_t pid = -1;
  int64_t next = 0;
  int64_t seen = -1; ///< the case it was at
  std::chrono::steady_clock::time_point since;
};

class Sweep {
public:
  explicit Sweep(const SweepOptions &options)
      : options(options), begin(options.only >= 0 ? options.only : options.from),
        end(options.only >= 0 ? options.only + 1 : options.from + options.cases),
        jobs(options.only >= 0 ? 1
             : options.jobs    ? options.jobs
                               : std::max(1U, std::thread::hardware_concurrency())) {
    void *memory = mmap(nullptr, jobs * sizeof(Progress), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    progress = static_cast<Progress *>(memory);
    for (int64_t job = 0; job < jobs; ++job)
      new (&progress[job]) Progress();
  }

  int run() {
    workers.resize(jobs);
    for (int64_t job = 0; job < jobs; ++job) {
      workers[job].next = begin / SweepProgram::launchesPerProgram + job;
      start(job);
    }
    while (isRunning()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      for (int64_t job = 0; job < jobs; ++job)
        if (workers[job].pid > 0)
          watch(job);
      showProgress();
    }
    int64_t passed = sum(&Progress::passed), failed = sum(&Progress::failed) + crashed;
    std::printf("%.1f %% of %ld pairs took part\n",
                100.0 * static_cast<double>(sum(&Progress::takingPart)) /
                    static_cast<double>(std::max<int64_t>(sum(&Progress::pairs), 1)),
                static_cast<long>(sum(&Progress::pairs)));
    std::printf("%ld cases passed, %ld failed\n", static_cast<long>(passed),
                static_cast<long>(failed));
    return failed || passed == 0;
  }

private:
  void start(int64_t job) {
    Worker &worker = workers[job];
    worker.since = std::chrono::steady_clock::now();
    worker.seen = -1;
    std::fflush(stdout);
    worker.pid = fork();
    if (worker.pid != 0)
      return;
    for (int64_t index = worker.next; index * SweepProgram::launchesPerProgram < end; index += jobs)
      runProgram(options, index, begin, end, progress[job]);
    std::fflush(stdout);
    _exit(0);
  }

  bool isRunning() const {
    for (const Worker &worker : workers)
      if (worker.pid > 0)
        return true;
    return false;
  }

  /// Starts a worker that has died or hung anew, behind the program it was at.
  void watch(int64_t job) {
    Worker &worker = workers[job];
    int64_t current = progress[job].current;
    auto now = std::chrono::steady_clock::now();
    if (current != worker.seen) {
      worker.seen = current;
      worker.since = now;
    }
    bool hangs = now - worker.since > std::chrono::seconds(options.seconds);
    if (hangs)
      kill(worker.pid, SIGKILL);
    int status = 0;
    if (waitpid(worker.pid, &status, hangs ? 0 : WNOHANG) == 0)
      return;
    worker.pid = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return;
    ++crashed;
    std::string what = hangs ? "it hangs\n"
                       : WIFSIGNALED(status)
                           ? "signal " + std::to_string(WTERMSIG(status)) + "\n"
                           : "exit status " + std::to_string(WEXITSTATUS(status)) + "\n";
    int64_t index = current / SweepProgram::launchesPerProgram;
    reportCrash(index, current, what);
    worker.next = index + jobs;
    start(job);
  }

  /// In a process of its own: what made the worker crash may do so again.
  void reportCrash(int64_t index, int64_t number, const std::string &what) {
    std::fflush(stdout);
    pid_t reporter = fork();
    if (reporter == 0) {
      SweepProgram program(static_cast<uint64_t>(options.seed), index, getDevices(options));
      reportFailure(options, program, number, what);
      _exit(0);
    }
    waitpid(reporter, nullptr, 0);
  }

  int64_t sum(std::atomic<int64_t> Progress::*count) const {
    int64_t total = 0;
    for (int64_t job = 0; job < jobs; ++job)
      total += progress[job].*count;
    return total;
  }

  void showProgress() const {
    if (isatty(STDERR_FILENO))
      std::fprintf(stderr, "\r\033[K%ld of %ld, %ld failed\r",
                   static_cast<long>(sum(&Progress::passed) + sum(&Progress::failed)),
                   static_cast<long>(end - begin),
                   static_cast<long>(sum(&Progress::failed) + crashed));
  }

  const SweepOptions &options;
  int64_t begin, end, jobs;
  int64_t crashed = 0;
  Progress *progress;
  std::vector<Worker> workers;
};
} // namespace

int main(int argc, char **argv) {
  SweepOptions options;
  driver::CommandLine commandLine = makeCommandLine(options);
  std::vector<std::string> positional;
  std::optional<std::string> error = commandLine.parse({argv + 1, argv + argc}, positional);
  if (!error && !positional.empty())
    error = "expected options only, got `" + positional.front() + "`";
  if (!error && options.device != "host" && options.device != "passes" &&
      options.device != "both" && options.device != "emulator")
    error = "`--device` expects host, passes, both or emulator, got `" + options.device + "`";
  if (error) {
    std::fprintf(stderr, "attn-sweep: error: %s\n", error->c_str());
    return 2;
  }
  if (options.help) {
    std::fputs(commandLine.getHelp().c_str(), stdout);
    return 0;
  }
  return Sweep(options).run();
}
