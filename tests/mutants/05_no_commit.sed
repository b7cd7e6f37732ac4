# The copies never become a group, so no wait covers them.
# report: cp\.async
# at: load4\(&a\[0\]\[i\]
s/^    cp_async_commit();//
