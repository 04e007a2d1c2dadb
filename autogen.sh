#!/bin/sh
# autogen.sh - make configure and Makefile.in
cd "$(dirname "$0")" && exec autoreconf --install --force --warnings=all,no-obsolete
