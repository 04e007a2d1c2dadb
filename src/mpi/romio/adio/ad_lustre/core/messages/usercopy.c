/* usercopy.c - copies between the user's memory and ours */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "usercopy.h"

const struct adl_usercopy *adl_usercopy_device;
