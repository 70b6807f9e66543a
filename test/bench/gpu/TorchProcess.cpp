//===- TorchProcess.cpp - PyTorch beside a benchmark ------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/gpu/TorchProcess.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace attnc::bench;
namespace json = llvm::json;

std::optional<std::string> TorchProcess::start(const std::string &python,
                                               const std::string &script) {
  int toChild[2], fromChild[2];
  if (pipe(toChild) != 0 || pipe(fromChild) != 0)
    return std::string("no pipe: ") + std::strerror(errno);
  // That the process has ended is told by what it does not answer.
  std::signal(SIGPIPE, SIG_IGN);
  process = fork();
  if (process == 0) {
    dup2(toChild[0], STDIN_FILENO);
    dup2(fromChild[1], STDOUT_FILENO);
    for (int descriptor : {toChild[0], toChild[1], fromChild[0], fromChild[1]})
      close(descriptor);
    execlp(python.c_str(), python.c_str(), script.c_str(), static_cast<char *>(nullptr));
    _exit(127);
  }
  close(toChild[0]);
  close(fromChild[1]);
  requests = toChild[1];
  answers = fromChild[0];
  if (process < 0)
    return std::string("no process: ") + std::strerror(errno);
  std::optional<json::Object> hello = readAnswer();
  if (!hello)
    return "`" + python + "` does not run " + script;
  if (std::optional<llvm::StringRef> error = hello->getString("error")) {
    stop();
    return error->str();
  }
  version = hello->getString("torch").value_or("").str();
  return std::nullopt;
}

std::optional<json::Object> TorchProcess::ask(json::Object request) {
  std::string line;
  llvm::raw_string_ostream(line) << json::Value(std::move(request)) << "\n";
  for (llvm::StringRef rest = line; !rest.empty();) {
    ssize_t written = write(requests, rest.data(), rest.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      break;
    rest = rest.drop_front(static_cast<size_t>(written));
  }
  return readAnswer();
}

std::optional<json::Object> TorchProcess::readAnswer() {
  size_t end;
  while ((end = buffered.find('\n')) == std::string::npos) {
    char bytes[4096];
    ssize_t count = read(answers, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      stop();
      return std::nullopt;
    }
    buffered.append(bytes, static_cast<size_t>(count));
  }
  llvm::Expected<json::Value> answer = json::parse(llvm::StringRef(buffered).take_front(end));
  buffered.erase(0, end + 1);
  if (answer && answer->getAsObject())
    return std::move(*answer->getAsObject());
  if (!answer)
    llvm::consumeError(answer.takeError());
  stop();
  return std::nullopt;
}

void TorchProcess::stop() {
  for (int *descriptor : {&requests, &answers}) {
    if (*descriptor >= 0)
      close(*descriptor);
    *descriptor = -1;
  }
  while (process > 0 && waitpid(process, nullptr, 0) < 0 && errno == EINTR)
    ;
  process = -1;
}
