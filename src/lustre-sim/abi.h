/* abi.h - Lustre's kernel interface (the driver's header), and our own
 * environment */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_ABI_H
#define LUSTRE_SIM_ABI_H

#include "sys/lustre_abi.h"

#define SIM_XATTR_OSTS "lustre.sim.osts" /* the number of OSTs, as text */
#define SIM_XATTR_TRUSTED "trusted.lov"  /* the layout, as root may read it */
#define SIM_XATTR_ADD "lustre.lov.add"   /* set: adds components */
#define SIM_XATTR_DELETE "lustre.lov.del"
#define SIM_XATTR_PIN "lustre.pin" /* of lustre.pin: kept, without effect */

/* The environment of a program on the simulator, made by lustre-sim run.
 * client.h has the variables of a process's identity. */
#define SIM_ENV_ROOT "LUSTRE_SIM_ROOT"
#define SIM_ENV_PRELOAD "LUSTRE_SIM_PRELOAD" /* the library, for -genv */
#define SIM_ENV_PROFILE "LUSTRE_SIM_PROFILE"
#define SIM_ENV_TRACE "LUSTRE_SIM_TRACE"
#define SIM_ENV_FAULT "LUSTRE_SIM_FAULT"
#define SIM_ENV_NOFLOCK "LUSTRE_SIM_NOFLOCK"  /* 1: no file locks */
#define SIM_ENV_HYBRID "LUSTRE_SIM_HYBRID_IO" /* 1: on */
#define SIM_ENV_KEEP "LUSTRE_SIM_KEEP_CACHES" /* 0: dropped at exit */

#endif
