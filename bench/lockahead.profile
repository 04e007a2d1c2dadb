# lockahead.profile - a disk OST of the lockahead paper's kind (doc/scale.md)
# bandwidth: 6 GB/s, file per process on an L300N OST in the overstriping paper
# (figure 17). Locks: fitted to the fifth of it that records of 1 MiB in one
# stripe reach there, 870 us a record, 175 us of them for the bytes.
bandwidth 6000000000
rpc_us 20
lock_us 125
callback_us 300
commit_us 250
copy_rate 4G
dirty_limit 4M
rpcs_in_flight 8
rpc_size 4M
lru 2000
