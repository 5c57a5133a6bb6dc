#!/bin/bash
# Copies the data of the primary db1 at the first start, then starts the standby.
set -euo pipefail
export PGPASSWORD=$REPLICATION_PASSWORD
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  until pg_isready -q -h db1; do sleep 1; done
  find "$PGDATA" -mindepth 1 -delete
  pg_basebackup -D "$PGDATA" -R -c fast -S standby -d 'host=db1 user=replication application_name=standby'
  chmod 700 "$PGDATA"
  # Remove the primary's setting from the copy: after a promotion, commits would wait for a standby that does not exist.
  sed -i '/^synchronous_standby_names/d' "$PGDATA/postgresql.auto.conf"
fi
unset PGPASSWORD REPLICATION_PASSWORD POSTGRES_PASSWORD
exec "$@"
