#!/bin/sh
# The checker itself: what is wrong must fail. The tests are in check_test.c.
exec "$BIN/check_test"
