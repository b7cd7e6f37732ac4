# In the loop nothing waits for the copies of the next tile.
# report: cp\.async
# at: read<.*a\[next % 2\]
s/^                    cp_async_wait(SLOTS - 2);//
