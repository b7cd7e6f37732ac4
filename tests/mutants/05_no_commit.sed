# The copies never become a group, so no wait covers them.
# report: cp\.async
# at: read<.*a\[0\], b\[0\]
s/^    cp_async_commit();//
