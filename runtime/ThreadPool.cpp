//===- ThreadPool.cpp - Threads that share the tasks of a launch ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/ThreadPool.h"
#include <algorithm>
#include <pthread.h>
#include <system_error>

using namespace attnc;

ThreadPool &ThreadPool::get() {
  // Never destroyed: objects of the program that go later may launch, and in a child of fork()
  // there is nobody to join.
  static ThreadPool *pool = nullptr;
  static std::once_flag once;
  std::call_once(once, [] {
    pool = new ThreadPool;
    pthread_atfork(nullptr, nullptr, [] {
      auto *own = new ThreadPool;
      own->parent = pool;
      pool = own;
    });
  });
  return *pool;
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wakeUp.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void ThreadPool::ensureThreads(size_t wanted) {
  while (threads.size() < wanted) {
    // A system that gives no more threads leaves the work to those there are.
    try {
      threads.emplace_back([this] { work(); });
    } catch (const std::system_error &) {
      return;
    }
  }
}

void ThreadPool::takeTasks(int worker) {
  for (;;) {
    int64_t task = nextTask.fetch_add(1, std::memory_order_relaxed);
    if (task >= numTasks)
      return;
    (*body)(task, worker);
  }
}

void ThreadPool::work() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    wakeUp.wait(lock, [this] { return stopping || openings > 0; });
    if (stopping)
      return;
    --openings;
    ++busy;
    int worker = ++lastWorker;
    lock.unlock();
    takeTasks(worker);
    lock.lock();
    if (--busy == 0)
      allIdle.notify_one();
  }
}

void ThreadPool::run(int64_t tasks, int workers, const Body &newBody) {
  int64_t helpers = std::min<int64_t>(workers, tasks) - 1;
  if (helpers <= 0) {
    for (int64_t task = 0; task < tasks; ++task)
      newBody(task, 0);
    return;
  }
  std::lock_guard<std::mutex> job(jobMutex);
  ensureThreads(static_cast<size_t>(helpers));
  {
    std::lock_guard<std::mutex> lock(mutex);
    body = &newBody;
    numTasks = tasks;
    nextTask.store(0, std::memory_order_relaxed);
    lastWorker = 0;
    openings = static_cast<int>(helpers);
  }
  for (int64_t i = 0; i < helpers; ++i)
    wakeUp.notify_one();
  takeTasks(0);
  // Threads that have not woken up yet find nothing left to do.
  std::unique_lock<std::mutex> lock(mutex);
  openings = 0;
  allIdle.wait(lock, [this] { return busy == 0; });
}
