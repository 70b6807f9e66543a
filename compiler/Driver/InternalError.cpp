//===- InternalError.cpp - What happens when our own code is at fault -------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/InternalError.h"
#include "compiler/Driver/RunError.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace attnc;
using namespace attnc::driver;

/// Writes without allocating: the process may be in any state.
static void writeLine(const char *tool, const char *reason) {
  for (const char *part :
       {tool, ": internal error, please report with the command and its input: ", reason, "\n"})
      [[maybe_unused]]
    ssize_t written = write(STDERR_FILENO, part, std::strlen(part));
}

static void handleFatalError(void *tool, const char *reason, bool) {
  writeLine(static_cast<const char *>(tool), reason);
  llvm::sys::RunInterruptHandlers();
  _exit(InternalError);
}

static void handleCrash(void *tool) { writeLine(static_cast<const char *>(tool), "crash"); }

void driver::reportInternalErrors(const char *tool) {
  void *data = const_cast<char *>(tool);
  llvm::install_fatal_error_handler(handleFatalError, data);
  llvm::sys::AddSignalHandler(handleCrash, data);
  // A file beyond the limit of its size is an error of the write, not a crash.
  std::signal(SIGXFSZ, SIG_IGN);
}
