import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { getPriority } from 'node:os';

const attempts: Record<string, (argument: string) => unknown> = {
  read: (path) => readFileSync(path, 'latin1').slice(0, 100),
  list: (path) => readdirSync(path).sort(),
  write: (path) => writeFileSync(path, 'spy'),
  environment: (name) => process.env[name] ?? 'unset',
  processes: () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
  priority: () => getPriority(),
  connect: (to) =>
    new Promise((resolve, reject) => {
      connect(/^\d+$/.test(to) ? { port: Number(to), host: '127.0.0.1' } : { path: to })
        .once('connect', () => resolve('connected'))
        .once('error', reject);
    }),
};

/** Tries what a hostile file could make its decoder try, one `VERB ARGUMENT` each, and tells what came of it. */
export async function spy(tries: readonly string[]): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  for (const line of tries) {
    const [verb = '', argument = ''] = line.split(' ');
    try {
      seen[line] = (await attempts[verb]?.(argument)) ?? 'done';
    } catch (error) {
      seen[line] = error instanceof Error && 'code' in error ? error.code : String(error);
    }
  }
  return seen;
}
