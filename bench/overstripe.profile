# overstripe.profile - the flash OST of the overstriping paper (doc/scale.md)
# bandwidth: 11.2 to 11.7 GB/s, several objects; one object: 6.8 to 7.1 GB/s
# (both by obdfilter-survey). Locks: fitted to 3 GB/s for records of 1 MiB in
# one stripe, which is 350 us a record, 150 us of them for the bytes. A small
# dirty limit: the jobs there wrote as much as their nodes have memory.
bandwidth 11400000000
object_bandwidth 7000000000
rpc_us 2
lock_us 50
callback_us 100
commit_us 50
copy_rate 4G
dirty_limit 2M
rpcs_in_flight 8
rpc_size 1M
lru 2000
