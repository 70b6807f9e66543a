//===- TorchProcess.h - PyTorch beside a benchmark ----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_BENCH_GPU_TORCHPROCESS_H
#define TEST_BENCH_GPU_TORCHPROCESS_H

#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <sys/types.h>

namespace attnc::bench {

/// A Python process with PyTorch, which answers requests on its standard input (time_torch.py).
class TorchProcess {
public:
  TorchProcess() = default;
  TorchProcess(const TorchProcess &) = delete;
  TorchProcess &operator=(const TorchProcess &) = delete;
  ~TorchProcess() { stop(); }

  /// Starts `script` with `python`. Returns why PyTorch cannot be had, or nothing.
  std::optional<std::string> start(const std::string &python, const std::string &script);
  bool isRunning() const { return process > 0; }
  const std::string &getVersion() const { return version; }

  /// The answer to a request; nothing, and the process ends, if there is none.
  std::optional<llvm::json::Object> ask(llvm::json::Object request);

private:
  std::optional<llvm::json::Object> readAnswer();
  void stop();

  pid_t process = -1;
  int requests = -1, answers = -1; ///< file descriptors
  std::string buffered, version;
};

} // namespace attnc::bench

#endif // TEST_BENCH_GPU_TORCHPROCESS_H
