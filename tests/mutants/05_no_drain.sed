# The kernel goes on while copies are under way.
# report: cp\.async
# at: 
s/^        cp_async_wait(0);//
