# The commit comes before the copies it should close: they join the next group.
# report: cp\.async
# at: load4\(&a\[0\]\[i\]
s/^    cp_async_commit();//
s/^    const unsigned ar = tid/    cp_async_commit();   const unsigned ar = tid/
