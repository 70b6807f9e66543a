//===- header.cpp - attnc.hpp alone, without exceptions and RTTI ----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/attnc.hpp"

extern "C" uint32_t getAbiVersion();

/// The status of opening a device that there is not.
attnc_status_t openNothing() { return attnc::Device::tryOpen("nothing").status(); }
