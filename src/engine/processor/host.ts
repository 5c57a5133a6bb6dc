import { Worker } from 'node:worker_threads';
import type { Blobs } from '../blobs/blobs.ts';
import { localCopy } from '../blobs/cache.ts';
import { openBlobs } from '../blobs/open.ts';
import { messageOf } from '../errors.ts';
import { openJobFiles } from '../results/result-files.ts';
import type { FromHost, ToHost } from './host-protocol.ts';
import { isPermanent, type LoadProcessor, type Process } from './processor.ts';
import { fromWire, toWire } from './wire-files.ts';

/**
 * The process in which one processor runs. It holds no lease and no connection to a queue: it may crash, leak, spin
 * or exit, and its worker only sees one failed attempt.
 */
let process_: Process | undefined;
let blobs: Blobs;
let stage = '';
let abort = new AbortController();

process.on('message', (message: ToHost) => {
  if (message.type === 'load') void load(message);
  else if (message.type === 'process') void work(message);
  else abort.abort();
});
process.on('disconnect', () => process.exit(0));
dieWithParent();

async function load(message: Extract<ToHost, { type: 'load' }>): Promise<void> {
  try {
    stage = message.stage;
    blobs = await openBlobs(message.blobs);
    const module: { default?: LoadProcessor } = await import(message.module);
    if (typeof module.default !== 'function') {
      throw new Error(`${message.module} has no default export made by defineProcessor`);
    }
    process_ = await module.default({
      stage,
      version: message.version,
      config: message.config,
      files: message.files.map((file) => file.name),
      random: Math.random,
      async file(name) {
        const file = message.files.find((candidate) => candidate.name === name);
        if (!file) throw new Error(`stage ${stage} has no file ${name}`);
        return localCopy(blobs, file.hash, message.cache);
      },
    });
    send({ type: 'loaded' });
  } catch (error) {
    send({ type: 'not-loaded', reason: `${messageOf(error)} (${message.module})` });
  }
}

async function work(message: Extract<ToHost, { type: 'process' }>): Promise<void> {
  abort = new AbortController();
  try {
    const before = message.files.map(fromWire);
    const files = openJobFiles(blobs, before);
    await process_?.({
      uuid: message.uuid,
      stage,
      attempt: message.attempt,
      files,
      signal: abort.signal,
      log: (line) => send({ type: 'log', line }),
    });
    const unchanged = new Set(before);
    const left = await files.result();
    const answer = left.map((file) => (unchanged.has(file) ? { unchanged: file.name } : toWire(file)));
    send({ type: 'done', files: answer, rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    const permanent = isPermanent(error);
    send({ type: 'failed', reason: messageOf(error), permanent, rssBytes: process.memoryUsage.rss() });
  }
}

function send(message: FromHost): void {
  process.send?.(message);
}

/**
 * A worker that is killed can't stop its processes, and one that spins never hears that its pipe was closed. A thread
 * of its own looks whether the parent is still the same.
 */
function dieWithParent(): void {
  const code = `const parent = process.ppid;
    setInterval(() => { if (process.ppid !== parent) process.kill(-process.pid, 'SIGKILL'); }, 500);`;
  new Worker(code, { eval: true, execArgv: [], stdout: false, stderr: false }).unref();
}
