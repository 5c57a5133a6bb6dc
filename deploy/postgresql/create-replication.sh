#!/bin/bash
# Runs once, when the primary is created.
set -euo pipefail
psql -X -v ON_ERROR_STOP=1 -v password="$REPLICATION_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE replication WITH REPLICATION LOGIN PASSWORD :'password';
SELECT pg_create_physical_replication_slot('standby');
-- Takes effect at the next start, right after this script.
ALTER SYSTEM SET synchronous_standby_names = 'standby';
SQL
