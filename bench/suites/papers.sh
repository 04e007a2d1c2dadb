# papers.sh - the papers' tables and figures in scale, each row beside theirs
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154
suite_about="the papers' figures in scale, by lustre-sim's time model"
suite_minutes=45
suite_reps=3

suite_points() {
    for profile in flash disk; do
        by_transfer $profile fpp,posix,spread,mode1,mode2
        lock_modes $profile "1 2 4" spread,mode0,mode1,mode2,fpp
        overstriping $profile 256K "1 2 4 8 16 32" posix,mode0,fpp
        overstriping $profile 1M "1 2 4 8 16 32" posix,mode0,fpp
        collective_reads $profile
    done
    split_points
    paper_applications
    metadata_points
}
