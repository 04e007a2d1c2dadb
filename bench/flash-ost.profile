# flash-ost.profile - a flash OST of the size that the overstriping paper has
# 10 GB/s (11.2 to 11.7 there, 7 for one object); the times of locks and RPCs
# are guesses of what such a server takes, see doc/scale.md
bandwidth 10G
rpc_us 50
lock_us 100
callback_us 200
commit_us 100
copy_rate 4G
dirty_limit 64M
rpcs_in_flight 8
rpc_size 4M
lru 2000
