#!/bin/sh
# lastwords.sh FILE CMD ARG...: run with standard error appended to FILE
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# For programs that are expected to abort: mpiexec sometimes kills a job before
# it has passed on what the job said last.
file=$1
shift
exec "$@" 2>>"$file"
