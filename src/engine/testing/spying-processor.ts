import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { defineProcessor } from '../processor/processor.ts';

/** Tries what its configuration lists, one `VERB ARGUMENT` a line, and tells in `seen.json` what came of it. */
export default defineProcessor(async ({ config }) => {
  const attempts: Record<string, (argument: string) => unknown> = {
    read: (path) => readFileSync(path, 'latin1').slice(0, 100),
    list: (path) => readdirSync(path).sort(),
    write: (path) => writeFileSync(path, 'spy'),
    processes: () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
    connect: (port) =>
      new Promise((resolve, reject) => {
        connect(Number(port), '127.0.0.1')
          .once('connect', () => resolve('connected'))
          .once('error', reject);
      }),
  };
  return async (job) => {
    const seen: Record<string, unknown> = {};
    for (const line of config.trim().split('\n')) {
      const [verb = '', argument = ''] = line.split(' ');
      try {
        seen[line] = (await attempts[verb]?.(argument)) ?? 'done';
      } catch (error) {
        seen[line] = error instanceof Error && 'code' in error ? error.code : String(error);
      }
    }
    await job.files.write('seen.json', Buffer.from(JSON.stringify(seen)));
  };
});
