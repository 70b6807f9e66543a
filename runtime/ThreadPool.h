//===- ThreadPool.h - Threads that share the tasks of a launch ----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_THREADPOOL_H
#define RUNTIME_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace attnc {

/// Threads that are created when first needed and then sleep between jobs.
class ThreadPool {
public:
  /// Called with the number of the task and of the worker that runs it.
  using Body = std::function<void(int64_t task, int worker)>;

  /// The pool of this process, from its first use to the process's end. A child of fork() has none
  /// of its parent's threads, and so gets a pool of its own.
  static ThreadPool &get();

  ThreadPool() = default;
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Runs the tasks 0 to `tasks` - 1, handed out in that order, on the caller as worker 0 and at
  /// most `workers` - 1 threads. Returns when all are done. Jobs of several callers run one after
  /// the other. A single task or worker wakes no thread.
  void run(int64_t tasks, int workers, const Body &body);

  /// The threads created so far.
  size_t getNumThreads() const { return threads.size(); }

private:
  void ensureThreads(size_t wanted);
  void work();
  void takeTasks(int worker);

  std::mutex jobMutex; ///< held by the caller whose job runs

  std::mutex mutex; ///< guards what follows
  std::condition_variable wakeUp;
  std::condition_variable allIdle;
  int openings = 0; ///< threads that may still join the job
  int lastWorker = 0;
  int busy = 0; ///< threads in the job
  bool stopping = false;

  /// The job; written while no thread is busy.
  const Body *body = nullptr;
  int64_t numTasks = 0;
  std::atomic<int64_t> nextTask{0};

  std::vector<std::thread> threads;
  const ThreadPool *parent = nullptr; ///< that of the process that this one is a child of
};

} // namespace attnc

#endif // RUNTIME_THREADPOOL_H
