//===- DiskCacheTest.cpp - Tests of the cache on disk ---------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/cache/DiskCache.h"
#include "runtime/cache/Sha256.h"
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace attnc;
namespace fs = std::filesystem;

namespace {
class Disk : public testing::Test {
protected:
  Disk() {
    char path[] = "/tmp/attnc-cache-XXXXXX";
    root = mkdtemp(path);
    folder = root + "/a/b";
  }
  ~Disk() override {
    fs::permissions(root, fs::perms::owner_all);
    fs::remove_all(root);
  }

  std::string getPath(const std::string &key) const {
    return folder + "/" + getSha256(key) + ".entry";
  }
  std::string read(const std::string &path) const {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write(const std::string &path, const std::string &bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  std::string root, folder;
};
} // namespace

// Forms are apart from code, under the same rules.
TEST_F(Disk, Forms) {
  DiskCache cache(folder);
  EXPECT_EQ(cache.findForm("key"), std::nullopt);
  ASSERT_EQ(cache.addForm("key", "a form"), std::nullopt);
  EXPECT_EQ(cache.findForm("key"), "a form");
  EXPECT_EQ(cache.find("key"), std::nullopt);
  EXPECT_EQ(cache.getInfo().entries, 0);
  EXPECT_GT(cache.getInfo().bytes, 0);
  ASSERT_EQ(cache.add("key", "code"), std::nullopt);
  EXPECT_EQ(cache.findForm("key"), "a form");
  EXPECT_EQ(cache.getInfo().entries, 1);
  const std::string path = folder + "/" + getSha256("key") + ".form";
  std::string bytes = read(path);
  bytes.back() ^= 1;
  write(path, bytes);
  EXPECT_EQ(cache.findForm("key"), std::nullopt);
  ASSERT_EQ(cache.clear(), std::nullopt);
  EXPECT_EQ(cache.getInfo().bytes, 0);
}

TEST_F(Disk, FindsWhatWasAdded) {
  DiskCache cache(folder);
  EXPECT_EQ(cache.find("key"), std::nullopt);
  EXPECT_EQ(cache.getInfo().problem, "");
  std::string code("code\0with zeros\n", 16), key("a\0key\n12 3", 10);
  ASSERT_EQ(cache.add(key, code), std::nullopt);
  ASSERT_EQ(cache.add("", "code of an empty key"), std::nullopt);
  ASSERT_EQ(cache.add("empty code", ""), std::nullopt);
  EXPECT_EQ(DiskCache(folder).find(key), code);
  EXPECT_EQ(cache.find(""), "code of an empty key");
  EXPECT_EQ(cache.find("empty code"), "");
  EXPECT_EQ(cache.find("another"), std::nullopt);
  ASSERT_EQ(cache.add(key, "other code"), std::nullopt);
  EXPECT_EQ(cache.find(key), "other code");
  EXPECT_EQ(cache.getInfo().entries, 3);
  struct stat status;
  ASSERT_EQ(stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(cache.clear(), std::nullopt);
  EXPECT_EQ(cache.getInfo().entries, 0);
  EXPECT_EQ(cache.find(key), std::nullopt);
}

// Whatever byte of an entry is lost or another, it is not there; and adding it makes it right
// again.
TEST_F(Disk, DamagedEntriesAreNotThere) {
  DiskCache cache(folder);
  ASSERT_EQ(cache.add("key", "some code"), std::nullopt);
  const std::string bytes = read(getPath("key"));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ 1);
    for (const std::string &bad : {other, bytes.substr(0, i), bytes + "x"}) {
      write(getPath("key"), bad);
      ASSERT_EQ(cache.find("key"), std::nullopt) << i;
    }
  }
  ASSERT_EQ(cache.add("key", "some code"), std::nullopt);
  EXPECT_EQ(cache.find("key"), "some code");
}

TEST_F(Disk, EntriesOfOthersAreNotThere) {
  DiskCache cache(folder);
  ASSERT_EQ(cache.add("key", "code"), std::nullopt);
  // Of another key under this one's name, writable by others, a link, and a pipe.
  ASSERT_EQ(cache.add("other", "other code"), std::nullopt);
  write(getPath("key"), read(getPath("other")));
  EXPECT_EQ(cache.find("key"), std::nullopt);
  chmod(getPath("other").c_str(), 0666);
  EXPECT_EQ(cache.find("other"), std::nullopt);
  chmod(getPath("other").c_str(), 0600);
  EXPECT_EQ(cache.find("other"), "other code");
  fs::rename(getPath("other"), folder + "/elsewhere");
  fs::create_symlink(folder + "/elsewhere", getPath("other"));
  EXPECT_EQ(cache.find("other"), std::nullopt);
  fs::remove(getPath("other"));
  ASSERT_EQ(mkfifo(getPath("other").c_str(), 0600), 0);
  EXPECT_EQ(cache.find("other"), std::nullopt);
}

TEST_F(Disk, FoldersThatAreRefused) {
  DiskCache cache(folder);
  ASSERT_EQ(cache.add("key", "code"), std::nullopt);
  const std::string expected =
      folder + ": expected a folder that this user owns and nobody else may write to";
  for (mode_t mode : {0770, 0707, 0777}) {
    chmod(folder.c_str(), mode);
    EXPECT_EQ(cache.find("key"), std::nullopt);
    EXPECT_EQ(cache.add("key", "code"), expected);
    EXPECT_EQ(cache.getInfo().problem, expected);
    EXPECT_EQ(cache.clear(), expected);
  }
  chmod(folder.c_str(), 0700);
  EXPECT_EQ(cache.find("key"), "code");
  fs::create_directory_symlink(folder, root + "/link");
  EXPECT_EQ(DiskCache(root + "/link").add("key", "code"), root + "/link: expected a folder");
  write(root + "/file", "");
  EXPECT_EQ(DiskCache(root + "/file").add("key", "code"), root + "/file: expected a folder");
  EXPECT_EQ(DiskCache(root + "/file/x").add("key", "code"), root + "/file/x: Not a directory");
}

// A folder that cannot be made, and a disk that is full.
TEST_F(Disk, WhatCannotBeKeptIsTold) {
  fs::create_directory_symlink(root + "/gone", root + "/link");
  DiskCache nowhere(root + "/link/cache");
  const std::string expected =
      root + "/link/cache: cannot make the folder: No such file or directory";
  EXPECT_EQ(nowhere.add("key", "code"), expected);
  EXPECT_EQ(nowhere.getInfo().problem, expected);

  DiskCache full(folder);
  ASSERT_EQ(full.add("first", "code"), std::nullopt);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = {10, before.rlim_max};
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string error = full.add("key", "code").value_or("");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(error.find(".tmp: cannot write: File too large"), std::string::npos) << error;
  EXPECT_EQ(full.getInfo().problem, error);
  EXPECT_EQ(full.getInfo().entries, 1);
  EXPECT_EQ(full.find("first"), "code");
  // A form that can be kept does not hide it.
  ASSERT_EQ(full.addForm("key", "form"), std::nullopt);
  EXPECT_EQ(full.getInfo().problem, error);
  ASSERT_EQ(full.add("key", "code"), std::nullopt);
  EXPECT_EQ(full.getInfo().problem, "");
}

TEST_F(Disk, DefaultFolder) {
  setenv("XDG_CACHE_HOME", "/x/cache", 1);
  EXPECT_EQ(DiskCache::getDefaultFolder(), "/x/cache/attnc");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(DiskCache::getDefaultFolder(), "/home/somebody/.cache/attnc");
  EXPECT_EQ(DiskCache("").add("key", "code"), "the cache on disk is switched off");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(DiskCache::getDefaultFolder(), "");
  EXPECT_EQ(DiskCache("").getInfo().problem,
            "there is no folder for a cache: neither XDG_CACHE_HOME nor HOME is set");
}

// The entries that were used last stay.
TEST_F(Disk, StaysBelowItsSize) {
  const std::string code(1000, 'x');
  DiskCache cache(folder, 5000);
  auto age = [&](const std::string &key, time_t seconds) {
    timespec times[2] = {{seconds, 0}, {seconds, 0}};
    utimensat(AT_FDCWD, getPath(key).c_str(), times, 0);
  };
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(cache.add(std::to_string(i), code), std::nullopt);
    age(std::to_string(i), 1000 + i);
  }
  EXPECT_EQ(cache.find("0"), code);
  ASSERT_EQ(cache.add("4", code), std::nullopt);
  EXPECT_EQ(cache.find("0"), code);
  EXPECT_EQ(cache.find("1"), std::nullopt);
  EXPECT_EQ(cache.find("2"), code);
  EXPECT_LE(cache.getInfo().bytes, 5000);
  EXPECT_EQ(cache.add("large", std::string(6000, 'x')), "the code is larger than the cache");
}

TEST_F(Disk, AbandonedFilesGo) {
  DiskCache cache(folder);
  ASSERT_EQ(cache.add("key", "code"), std::nullopt);
  write(folder + "/old.tmp", "half");
  write(folder + "/new.tmp", "half");
  timespec times[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, (folder + "/old.tmp").c_str(), times, 0);
  ASSERT_EQ(cache.add("other", "code"), std::nullopt);
  EXPECT_FALSE(fs::exists(folder + "/old.tmp"));
  EXPECT_TRUE(fs::exists(folder + "/new.tmp"));
}

namespace {
/// The code for a key, large enough that writing it takes a while.
const std::string &getCode(size_t key) {
  static const std::vector<std::string> codes = [] {
    std::vector<std::string> all(40);
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = 0; j < 20000; ++j)
        all[i] += std::to_string(i * 31 + j) + " ";
    return all;
  }();
  return codes[key];
}

/// Fills the cache until it is killed, and ends at once with an error if it finds what is wrong.
void fill(const std::string &folder, unsigned seed) {
  std::mt19937 random(seed);
  DiskCache cache(folder, 3000000);
  for (;;) {
    size_t key = random() % 40;
    std::optional<std::string> code = cache.find(std::to_string(key));
    if (code && *code != getCode(key))
      _exit(1);
    if (!code)
      cache.add(std::to_string(key), getCode(key));
  }
}
} // namespace

// Two processes fill one cache and are killed at any moment, again and again: what is found is
// whole.
TEST_F(Disk, SurvivesKilledProcesses) {
  std::mt19937 random(7);
  getCode(0);
  for (int round = 0; round < 500; ++round) {
    pid_t children[2];
    for (pid_t &child : children) {
      child = fork();
      ASSERT_GE(child, 0);
      if (child == 0)
        fill(folder, random() + (&child == children));
    }
    usleep(random() % 4000);
    for (pid_t child : children) {
      kill(child, SIGKILL);
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status)) << "round " << round << ": a wrong entry";
    }
  }
  DiskCache cache(folder, 3000000);
  int found = 0;
  for (size_t key = 0; key < 40; ++key)
    if (std::optional<std::string> code = cache.find(std::to_string(key))) {
      EXPECT_EQ(*code, getCode(key));
      ++found;
    }
  EXPECT_GT(found, 0);
}

TEST_F(Disk, ManyThreads) {
  DiskCache cache(folder);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        std::string key = std::to_string((t + i) % 20);
        std::optional<std::string> code = cache.find(key);
        wrong += code && *code != "code " + key;
        wrong += cache.add(key, "code " + key).has_value();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
