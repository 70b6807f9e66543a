/*===- header.c - attnc.h alone is C11 --------------------------------------===//
 *
 * Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===*/

#include "attnc/attnc.h"

/* Sizes and places of members that programs were compiled with. */
_Static_assert(sizeof(attnc_device_options_t) == 32, "attnc_device_options_t has changed");
_Static_assert(sizeof(attnc_device_info_t) == 56, "attnc_device_info_t has changed");
_Static_assert(sizeof(attnc_variant_info_t) == 72, "attnc_variant_info_t has changed");
_Static_assert(sizeof(attnc_source_t) == 88, "attnc_source_t has changed");
_Static_assert(sizeof(attnc_cache_options_t) == 32, "attnc_cache_options_t has changed");
_Static_assert(sizeof(attnc_cache_info_t) == 64, "attnc_cache_info_t has changed");
_Static_assert(sizeof(attnc_argument_info_t) == 40, "attnc_argument_info_t has changed");
_Static_assert(sizeof(attnc_plan_options_t) == 32, "attnc_plan_options_t has changed");
_Static_assert(sizeof(attnc_plan_info_t) == 112, "attnc_plan_info_t has changed");
_Static_assert(offsetof(attnc_device_options_t, parallel_for) == 16, "a member has moved");
_Static_assert(offsetof(attnc_variant_info_t, head_dim) == 32, "a member has moved");
_Static_assert(offsetof(attnc_argument_info_t, shape) == 32, "a member has moved");

uint32_t getAbiVersion(void);
uint32_t getAbiVersion(void) { return attnc_abi_version(); }
