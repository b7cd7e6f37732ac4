# In the loop nothing waits for the copies of the next tile.
# report: cp\.async
# at: load4\(&a\[next % 2\]\[i\]
s/^                    cp_async_wait(SLOTS - 2);//
