#!/bin/bash
# Makes the data of the standby from the primary db1, if there is none yet, and starts it.
set -euo pipefail
export PGPASSWORD=$REPLICATION_PASSWORD
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  until pg_isready -q -h db1; do sleep 1; done
  find "$PGDATA" -mindepth 1 -delete
  pg_basebackup -D "$PGDATA" -R -c fast -S standby -d 'host=db1 user=replication application_name=standby'
  chmod 700 "$PGDATA"
  # The copy has the primary's own setting. After a promotion nothing may wait for a standby that is not there.
  sed -i '/^synchronous_standby_names/d' "$PGDATA/postgresql.auto.conf"
fi
unset PGPASSWORD REPLICATION_PASSWORD POSTGRES_PASSWORD
exec "$@"
