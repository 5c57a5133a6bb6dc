import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresProgram, postgresSurroundings, postgresUser, runPostgres } from './postgres-programs.ts';
import type { ServerCommand } from './server-command.ts';

/** Creates the data of a new primary with this superuser. `access`: TLS only, or not. */
export async function createPostgresData(
  data: string,
  { user, password, access }: { user: string; password: string; access: 'host' | 'hostssl' },
): Promise<void> {
  const passwordFile = `${data}.password`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  try {
    const owner = await postgresUser();
    if (owner) await chown(passwordFile, owner.uid, owner.gid);
    await runPostgres('initdb', [
      '-D',
      data,
      '-U',
      user,
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ]);
  } finally {
    await rm(passwordFile, { force: true });
  }
  // The addresses that the server listens on decide where clients may connect from.
  await writeFile(
    join(data, 'pg_hba.conf'),
    `${access} all all 0.0.0.0/0 scram-sha-256\n${access} replication all 127.0.0.1/32 scram-sha-256\n`,
  );
}

/** Makes `data` a standby's data, copied from the running server that the connection string `from` names. */
export async function copyPostgresData(
  from: string,
  data: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await runPostgres('pg_basebackup', ['-D', data, '-d', from, '-R', '-c', 'fast', '--no-sync'], env);
}

/** Runs the server on existing data; `settings` are those of postgresql.conf, `more` goes to setpriv. */
export async function postgresCommand(
  data: string,
  settings: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<ServerCommand> {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '64MB',
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [program = '', ...rest] = await postgresProgram('postgres', more);
  return { program, args: [...rest, '-D', data, ...options], ...postgresSurroundings };
}
