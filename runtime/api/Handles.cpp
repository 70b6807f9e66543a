//===- Handles.cpp - Handles of the C ABI, and their messages -------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/Handles.h"
#include <deque>
#include <mutex>

using namespace attnc;
using namespace attnc::api;

/// Released handles that are known as such.
static constexpr size_t maxRetired = 1024;
/// Messages that a thread has at a time.
static constexpr size_t maxMessages = 32;

namespace {
struct Message {
  uint64_t id;
  std::string text;
};

/// Handles that were released, the oldest first. Never destroyed, as objects of the program may
/// release theirs when it ends.
template <typename HandleT> class Retired {
public:
  void add(std::unique_ptr<HandleT> handle) {
    std::lock_guard<std::mutex> lock(mutex);
    handles.push_back(std::move(handle));
    if (handles.size() > maxRetired)
      handles.pop_front();
  }

private:
  std::mutex mutex;
  std::deque<std::unique_ptr<HandleT>> handles;
};
} // namespace

/// The messages of this thread, the newest last; null when it is past its end, where globals of the
/// program go.
static std::vector<Message> *getMessages() {
  thread_local bool isGone = false;
  struct Messages {
    std::vector<Message> list;
    ~Messages() { isGone = true; }
  };
  thread_local Messages messages;
  return isGone ? nullptr : &messages.list;
}

HandleState::HandleState() {
  static std::atomic<uint64_t> last{0};
  id = ++last;
}

attnc_status_t api::keepMessage(uint64_t id, const Failure &failure) {
  // Without memory for it, the status alone has to do.
  try {
    std::vector<Message> *kept = getMessages();
    if (!kept)
      return failure.status;
    std::vector<Message> &messages = *kept;
    for (size_t i = 0; i < messages.size(); ++i)
      if (messages[i].id == id) {
        messages.erase(messages.begin() + static_cast<ptrdiff_t>(i));
        break;
      }
    if (messages.size() == maxMessages)
      messages.erase(messages.begin());
    messages.push_back({id, failure.message});
  } catch (const std::bad_alloc &) {
  }
  return failure.status;
}

const char *api::getMessage(uint64_t id) {
  if (const std::vector<Message> *messages = getMessages())
    for (const Message &message : *messages)
      if (message.id == id)
        return message.text.c_str();
  return "";
}

void api::retire(std::unique_ptr<attnc_device_t> handle) {
  static auto &retired = *new Retired<attnc_device_t>;
  retired.add(std::move(handle));
}

void api::retire(std::unique_ptr<attnc_kernel_t> handle) {
  static auto &retired = *new Retired<attnc_kernel_t>;
  retired.add(std::move(handle));
}

void api::retire(std::unique_ptr<attnc_launch_t> handle) {
  static auto &retired = *new Retired<attnc_launch_t>;
  retired.add(std::move(handle));
}

void api::retire(std::unique_ptr<attnc_plan_t> handle) {
  static auto &retired = *new Retired<attnc_plan_t>;
  retired.add(std::move(handle));
}
