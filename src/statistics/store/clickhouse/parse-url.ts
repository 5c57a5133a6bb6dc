import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { PismakError } from '../../../engine/ground/errors.ts';
import { maskSecrets } from '../../../engine/log/mask-secrets.ts';

/** Where the rows of large units are, from the URL of the settings. */
export interface ClickHousePlace {
  /** Replicas of each shard, `host:port`. */
  shards: string[][];
  database: string;
  user: string;
  password: string;
  /** Certificates to trust besides the usual ones. Undefined without TLS. */
  tls: { ca: string | undefined } | undefined;
  /** How many replicas of a shard must have stored rows before they count. */
  quorum: number;
  /** Units with fewer rows stay in the database, beside their metadata. */
  leastRows: number;
}

const parameters = z.strictObject({
  quorum: z.coerce.number().int().min(1).max(100).optional(),
  rows: z.coerce.number().int().min(1).max(1_000_000).default(500),
  cacertfile: z.string().min(1).optional(),
});

/**
 * `clickhouse://user:password@one:8123,two:8123;three:8123,four:8123/pismak`: servers that are separated by commas are replicas, and
 * `;` begins the next shard. `clickhouses` is the same with TLS.
 */
export function parseClickHouseUrl(url: string): ClickHousePlace {
  const [, secure, user = 'default', password = '', hosts = '', database = 'pismak', query = ''] =
    /^clickhouse(s?):\/\/(?:([^/:@]*)(?::([^/]*))?@)?([^/?@]+)(?:\/(\w*))?(?:\?(.*))?$/s.exec(url) ?? [];
  const fail = (why: string) => {
    throw new PismakError('configuration-invalid', `statistics.store: ${why} (${maskSecrets(url)})`);
  };
  if (hosts === '')
    return fail('it must be a URL such as clickhouse://user:password@one:8123,two:8123/pismak');
  const given = parameters.safeParse(Object.fromEntries(new URLSearchParams(query)));
  if (!given.success) return fail(z.prettifyError(given.error));
  const port = secure ? 8443 : 8123;
  const shards = hosts
    .split(';')
    .map((shard) => shard.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:${port}`)));
  const fewest = Math.min(...shards.map((replicas) => replicas.length));
  const { quorum = Math.min(2, fewest), rows, cacertfile } = given.data;
  if (quorum > fewest) return fail(`a quorum of ${quorum} needs as many replicas of each shard`);
  const ca = cacertfile === undefined ? undefined : readFileSync(cacertfile, 'utf8');
  return {
    shards,
    database: database || 'pismak',
    quorum,
    leastRows: rows,
    user: decodeURIComponent(user),
    password: decodeURIComponent(password),
    tls: secure ? { ca } : undefined,
  };
}
