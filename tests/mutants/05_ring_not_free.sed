# Nobody waits before the ring is filled for the block's next tile of C.
# shape: 384x768x480
# tile: 32x64x16-4x4
# report: The slot is refilled while others may still read it
# at: cp_async4\(&s->As
/the ring is free for the next tile of C/d
