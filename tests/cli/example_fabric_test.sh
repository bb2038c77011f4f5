#!/bin/sh
# The example fabric and its tables can be made again, by the real ibsim and OpenSM, and come out the same.
# $1: bough (not needed), $2: the source directory.
exec "$2/examples/fabric/make" --check
