import { messageOf } from '../ground/errors.ts';
import { giveWayAsThread } from '../process/give-way.ts';
import { collectGarbage } from '../process/idle-memory.ts';
import { hearAnswer, jobStore, stageFile } from './asked-bytes.ts';
import { dieWithParent } from './die-with-parent.ts';
import { type FromHost, type StageVersion, stageKey, type ToHost } from './host-protocol.ts';
import { openJobFiles } from './job-files.ts';
import { isPermanent, isWrongWorker, type LoadProcessor, type Process } from './processor.ts';
import { fromWire, toWire } from './wire-files.ts';

/**
 * The process in which processors run, one request at a time. It holds no lease and no connection to a queue: it may
 * crash, leak, spin or exit, and its worker only sees one failed attempt.
 */
const loaded = new Map<string, Process>();
let abort = new AbortController();
let watching = false;

// Its worker lowered the priority of the program that confines it, which may have started it before.
giveWayAsThread();
process.on('message', (message: ToHost) => {
  if (message.type === 'load') void load(message);
  else if (message.type === 'unload') void unload(message.stage);
  else if (message.type === 'process') void work(message);
  else if (message.type === 'warm') void warm();
  else if (message.type === 'given' || message.type === 'denied') hearAnswer(message);
  else abort.abort();
});
process.on('disconnect', () => process.exit(0));
send({ type: 'ready', rssBytes: process.memoryUsage.rss() });

/** A spare process has loaded what every stage needs, and takes no other memory while it waits. */
async function warm(): Promise<void> {
  await import('zod');
  collectGarbage();
}

async function load(message: Extract<ToHost, { type: 'load' }>): Promise<void> {
  send({ type: 'begun' });
  // A spare process runs no processor code and needs no such thread.
  if (!watching) dieWithParent(-process.pid);
  watching = true;
  const { name, version } = message.stage;
  try {
    const module: { default?: LoadProcessor } = await import(message.module);
    if (typeof module.default !== 'function') {
      throw new Error(`${message.module} has no default export made by defineProcessor`);
    }
    const made = await module.default({
      stage: name,
      version,
      config: message.config,
      commands: message.commands,
      files: message.files.map((file) => file.name),
      random: Math.random,
      async file(wanted) {
        const file = message.files.find((candidate) => candidate.name === wanted);
        if (!file) throw new Error(`stage ${name} has no file ${wanted}`);
        return stageFile(message.stage, file.hash);
      },
    });
    loaded.set(stageKey(message.stage), made);
    send({ type: 'loaded', rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    send({ type: 'not-loaded', reason: `${messageOf(error)} (${message.module})` });
  }
}

async function unload(stage: StageVersion): Promise<void> {
  const found = loaded.get(stageKey(stage));
  loaded.delete(stageKey(stage));
  await found?.close?.();
}

async function work(message: Extract<ToHost, { type: 'process' }>): Promise<void> {
  send({ type: 'begun' });
  abort = new AbortController();
  try {
    const stage = loaded.get(stageKey(message.stage));
    if (!stage) throw new Error(`stage ${message.stage.name} is not loaded in this process`);
    const before = message.files.map(fromWire);
    const files = openJobFiles(jobStore(message.job), before);
    await stage({
      uuid: message.uuid,
      stage: message.stage.name,
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
    const [permanent, wrongWorker] = [isPermanent(error), isWrongWorker(error)];
    const rssBytes = process.memoryUsage.rss();
    send({ type: 'failed', reason: messageOf(error), permanent, wrongWorker, rssBytes });
  }
}

function send(message: FromHost): void {
  process.send?.(message);
}
