# The commit comes before the copies it should close: they join the next group.
# report: cp\.async
# at: read<.*a\[0\], b\[0\]
s/^    cp_async_commit();//
s/^    const unsigned ar = tid/    cp_async_commit();   const unsigned ar = tid/
