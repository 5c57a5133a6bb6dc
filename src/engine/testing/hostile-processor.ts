import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputName, type ToHost } from '../processor/host-protocol.ts';
import { defineProcessor } from '../processor/processor.ts';
import { spy } from './spy.ts';

/** What a processor does that a hostile file has taken over: it ignores the interface of processors, and talks to the worker itself. */
export interface HostileOrder {
  /** Messages; JOB stands for the number of the job. */
  send?: unknown[];
  /** What it leaves as its output. */
  leave?: 'link' | 'pipe' | 'sparse' | 'folder' | 'nothing';
  /** Asks for this blob of its own, and tries to change it. */
  tamper?: string;
  spy?: string[];
}

const id = 1_000_000;
let number = 0;
process.on('message', (message: ToHost) => {
  if (message.type === 'process') number = message.job;
});

export default defineProcessor(async () => async (job) => {
  const order: HostileOrder = JSON.parse(Buffer.from(await job.files.read('order')).toString());
  if (order.leave) {
    leave(order.leave, join(tmpdir(), outputName(id)));
    process.send?.({ type: 'store', id, job: number });
  }
  for (const message of order.send ?? [])
    process.send?.(JSON.parse(JSON.stringify(message).replaceAll('"JOB"', `${number}`)));
  // Until the worker has decided.
  if (order.send || order.leave) await new Promise(() => {});
  const seen = order.tamper === undefined ? await spy(order.spy ?? []) : tamper(await pathOf(order.tamper));
  await job.files.write('seen.json', Buffer.from(JSON.stringify(seen)));
});

function leave(what: NonNullable<HostileOrder['leave']>, path: string): void {
  if (what === 'link') symlinkSync('/etc/passwd', path);
  if (what === 'pipe') execFileSync('mkfifo', [path]);
  if (what === 'folder') mkdirSync(path);
  if (what !== 'sparse') return;
  writeFileSync(path, '');
  truncateSync(path, 1024 ** 4);
}

function pathOf(hash: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  process.on('message', (message: ToHost) => {
    if (message.type === 'given' && message.id === id && 'path' in message) resolve(message.path);
  });
  process.send?.({ type: 'fetch', id, job: number, hash });
  return promise;
}

function tamper(path: string): Record<string, unknown> {
  const own = join(tmpdir(), 'own');
  const tries: Record<string, () => unknown> = {
    write: () => writeFileSync(path, 'forged'),
    chmod: () => chmodSync(path, 0o666),
    remove: () => unlinkSync(path),
    link: () => linkSync(path, own),
    replace: () => {
      writeFileSync(own, 'forged');
      renameSync(own, path);
    },
  };
  return Object.fromEntries(
    Object.entries(tries).map(([name, attempt]) => {
      try {
        return [name, attempt() ?? 'done'];
      } catch (error) {
        return [name, (error as NodeJS.ErrnoException).code];
      }
    }),
  );
}
