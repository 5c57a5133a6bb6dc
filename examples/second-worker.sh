#!/bin/sh
# One more worker, on this or any other machine that reaches the PostgreSQL. It is told the coordination and nothing else: the
# addresses of the other servers come from there. Ctrl-C lets it finish what it has begun. `pismak worker ls` shows it.
#
#   export PISMAK_BROKER=$URL PISMAK_COORDINATION=$URL PISMAK_DATABASE=$URL PISMAK_BLOBS=$URL    # URL=postgres://user:password@host/pismak
#   bin/pismak up
#   PISMAK_COORDINATION=$URL examples/second-worker.sh second                                    # in another terminal
#
# A variable, and not an option: every user of a machine can read its command lines.
#
# Without servers, `bin/pismak worker run` adds a worker to the running process.
set -eu
: "${PISMAK_COORDINATION:?usage: PISMAK_COORDINATION=postgres://... second-worker.sh [NAME]}"
name=${1:-second}
exec "$(dirname "$0")/../bin/pismak" worker run --id "$name" --data "${TMPDIR:-/tmp}/pismak-$name"
