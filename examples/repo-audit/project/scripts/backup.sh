#!/bin/sh
# Copies the database with the day in its name and keeps the last seven.
set -eu
cd "$(dirname "$0")/.."
mkdir -p backup
cp pantry.db "backup/pantry-$(date +%F).db"
ls -1t backup/pantry-*.db | tail -n +8 | xargs -r rm --
