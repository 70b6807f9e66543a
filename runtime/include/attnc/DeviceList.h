//===- DeviceList.h - Names of devices, in order of preference --*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_DEVICELIST_H
#define ATTNC_DEVICELIST_H

#include <optional>
#include <string_view>
#include <vector>

namespace attnc {

/// The names in a comma list of devices. `auto` stands for `cuda,host`.
std::vector<std::string_view> splitDeviceList(std::string_view names);

/// The number of the GPU that `cuda` (the first, 0) or `cuda:N` names; nothing for another name.
std::optional<int> parseGpuName(std::string_view name);

} // namespace attnc

#endif // ATTNC_DEVICELIST_H
