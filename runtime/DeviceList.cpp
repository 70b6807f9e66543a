//===- DeviceList.cpp - Names of devices, in order of preference ----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/DeviceList.h"
#include <charconv>

using namespace attnc;

std::vector<std::string_view> attnc::splitDeviceList(std::string_view names) {
  if (names == "auto")
    names = "cuda,host";
  std::vector<std::string_view> list;
  for (;;) {
    size_t comma = names.find(',');
    list.push_back(names.substr(0, comma));
    if (comma == std::string_view::npos)
      return list;
    names.remove_prefix(comma + 1);
  }
}

std::optional<int> attnc::parseGpuName(std::string_view name) {
  constexpr std::string_view prefix = "cuda";
  if (name == prefix)
    return 0;
  if (name.size() <= prefix.size() + 1 || name.substr(0, prefix.size()) != prefix ||
      name[prefix.size()] != ':')
    return std::nullopt;
  int ordinal = 0;
  const char *end = name.data() + name.size();
  auto [stop, code] = std::from_chars(name.data() + prefix.size() + 1, end, ordinal);
  if (code != std::errc() || stop != end || ordinal < 0)
    return std::nullopt;
  return ordinal;
}
