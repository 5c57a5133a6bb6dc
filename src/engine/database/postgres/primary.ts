import type pg from 'pg';
import { messageOf, PismakError } from '../../ground/errors.ts';
import type { PostgresAddress, PostgresHost } from './address.ts';
import { answerTimeoutMs, clientOptions, clientThatEnds, type PgModule } from './driver.ts';
import { postgresError } from './errors.ts';

export interface Primary {
  host: PostgresHost;
  timeline: number;
}

/**
 * Finds the primary; if several servers claim to be it, the one with the newest timeline: an old primary that returns
 * after a fail-over still accepts writes, but its timeline is older. Takes a server newer than `known` at once, without
 * waiting for silent ones.
 */
export async function findPrimary(pgModule: PgModule, address: PostgresAddress, known = 0): Promise<Primary> {
  const answers = address.hosts.map((host) => askNode(pgModule, address, host));
  const newest = newestOf(address, answers);
  if (known === 0) return newest;
  const promoted = Promise.any(
    answers.map(async (answer) => {
      const primary = await answer;
      if (primary.timeline <= known) throw new Error('not newer');
      return primary;
    }),
  );
  return Promise.race([newest, promoted.catch(() => newest)]);
}

async function askNode(pgModule: PgModule, address: PostgresAddress, host: PostgresHost): Promise<Primary> {
  const client = new (clientThatEnds(pgModule))(clientOptions(pgModule, address, host));
  client.on('error', () => {});
  try {
    await client.connect();
    return { host, timeline: await timelineOf(client) };
  } finally {
    await client.end().catch(() => {});
  }
}

async function newestOf(address: PostgresAddress, answers: readonly Promise<Primary>[]): Promise<Primary> {
  const settled = await Promise.allSettled(answers);
  const primaries = settled.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [newest] = primaries.toSorted((a, b) => b.timeline - a.timeline);
  if (newest) return newest;
  const reasons = settled.flatMap((answer) =>
    answer.status === 'rejected' ? postgresError(answer.reason) : [],
  );
  throw reasons.find((reason) => reason.code === 'configuration-invalid') ?? unavailable(address, reasons);
}

/** The timeline of this primary, which grows with each fail-over. Throws on a standby. */
export async function timelineOf(client: Pick<pg.ClientBase, 'query'>): Promise<number> {
  const question = {
    text: `SELECT current_setting('transaction_read_only') = 'on' AS readonly,
       CASE WHEN NOT pg_is_in_recovery() THEN pg_walfile_name(pg_current_wal_lsn()) END AS file`,
    query_timeout: answerTimeoutMs,
  };
  const { rows } = await client.query<{ readonly: boolean; file: string | null }>(question);
  const [row] = rows;
  if (!row || row.readonly || row.file === null) {
    throw new PismakError('unavailable', 'This PostgreSQL server is a standby and accepts no writes.');
  }
  // The first eight digits of a WAL file's name are its timeline.
  return Number.parseInt(row.file.slice(0, 8), 16);
}

function unavailable(address: PostgresAddress, reasons: readonly PismakError[]): PismakError {
  const nodes = address.hosts.map(({ host, port }, index) => {
    const reason = reasons[index];
    return `${host}:${port} (${messageOf(reason?.cause ?? reason)})`;
  });
  return new PismakError('unavailable', `No PostgreSQL server accepts writes: ${nodes.join(', ')}`);
}
