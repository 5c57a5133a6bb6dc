#!/bin/sh
# One more worker, on this or any other machine that reaches the PostgreSQL. It is told the coordination and nothing else: the
# addresses of the other servers come from there. Ctrl-C lets it finish what it has begun. `pismak worker ls` shows it.
#
#   export PISMAK_BROKER=$URL PISMAK_COORDINATION=$URL PISMAK_DATABASE=$URL PISMAK_BLOBS=$URL    # URL=postgres://user:password@host/pismak
#   bin/pismak up
#   examples/second-worker.sh $URL second                                                        # in another terminal
#
# Without servers, `bin/pismak worker run` adds a worker to the running process.
set -eu
coordination=${1:?usage: second-worker.sh postgres://... [NAME]}
name=${2:-second}
exec "$(dirname "$0")/../bin/pismak" worker run --coordination "$coordination" --id "$name" --data "${TMPDIR:-/tmp}/pismak-$name"
