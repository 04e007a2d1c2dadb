#!/bin/sh
# autogen.sh - make configure and Makefile.in
# SPDX-License-Identifier: LicenseRef-romio-lustre
cd "$(dirname "$0")" && exec autoreconf --install --force --warnings=all,no-obsolete
