#!/bin/sh
# Installs the build and moves the result elsewhere, so that every test sees a relocated toolkit.
#   stage.sh <source folder> <build folder> <folder>
set -eu
rm -rf "$3"
mkdir -p "$3"
"$1/scripts/install" "$2" "$3/first place"
mv "$3/first place" "$3/moved"
