import { messageOf } from '../errors.ts';
import type { ResultFile } from '../request/request.ts';
import type { Stage } from '../stage/stage.ts';
import type { Clock } from '../time/clock.ts';
import { type HostAnswer, HostProcess } from './host-process.ts';
import type { FromHost } from './host-protocol.ts';
import { type Runner, type RunnerJob, type RunnerResult, StageLogText } from './runner.ts';
import { fromWire, toWire } from './wire-files.ts';

/** Ten workers with ten shared stages would otherwise keep a hundred processes for ever. */
const retireMs = 300_000;

/**
 * Runs a processor in processes of its own, one request in each at a time, so that a crash costs one attempt of one
 * request. Processes are kept for the next request until they have grown beyond the stage's memory limit; those of shared
 * stages, which every worker serves all the time, until they have had nothing to do for a while.
 */
export function createIsolatedRunner(parts: {
  stage: Stage;
  module: string;
  blobs: string;
  cache: string;
  clock: Clock;
  /** It is known that the stage can be loaded: the first process may wait for the first request. */
  proven?: boolean;
}): Runner {
  const { stage, module, blobs, cache, clock, proven = false } = parts;
  const idle: HostProcess[] = [];
  const all = new Set<HostProcess>();
  /** Cancels that an idle process is ended. */
  const retiring = new WeakMap<HostProcess, () => void>();
  let closed = false;

  async function start(): Promise<HostProcess> {
    const host = new HostProcess({ clock, limits: stage });
    all.add(host);
    try {
      const { name, version, config, files } = stage;
      await host.load({ type: 'load', module, blobs, cache, stage: name, version, config, files });
      return host;
    } catch (error) {
      all.delete(host);
      throw error;
    }
  }

  async function take(): Promise<HostProcess> {
    for (let host = idle.pop(); host; host = idle.pop()) {
      retiring.get(host)?.();
      if (host.alive) return host;
      all.delete(host);
    }
    return start();
  }

  function giveBack(host: HostProcess): void {
    if (host.alive && !closed && host.rssBytes < stage.memoryMb * 1024 * 1024) keep(host);
    else {
      all.delete(host);
      void host.close();
    }
  }

  function keep(host: HostProcess): void {
    idle.push(host);
    if (stage.mode !== 'shared') return;
    const retire = () => {
      idle.splice(idle.indexOf(host), 1);
      all.delete(host);
      void host.close();
    };
    retiring.set(host, clock.after(retireMs, retire));
  }

  async function run(job: RunnerJob): Promise<RunnerResult> {
    const log = new StageLogText();
    const failed = (reason: string, permanent: boolean): RunnerResult => {
      log.add(reason);
      return { ok: false, reason, permanent, aborted: job.signal.aborted, log: log.toString() };
    };
    const { uuid, attempt, signal } = job;
    const onLog = (line: string) => log.add(line);
    const ask = async (host: HostProcess) => {
      const answer = await host.run({ uuid, attempt, signal, onLog, files: job.files.map(toWire) });
      giveBack(host);
      return answer;
    };
    let answer: HostAnswer;
    try {
      const host = await take();
      const used = host.served > 0;
      answer = await ask(host);
      // What the request before left behind (a late rejection, a corrupted heap) is not this one's fault.
      if (answer.type === 'crashed' && used && !signal.aborted) answer = await ask(await start());
    } catch (error) {
      return failed(messageOf(error), false);
    }
    if (answer.type === 'done')
      return { ok: true, files: merge(job.files, answer.files), log: log.toString() };
    return failed(answer.reason, answer.type === 'failed' && answer.permanent);
  }

  return {
    async load() {
      if (idle.length === 0 && !proven) keep(await start());
    },
    run,
    async close() {
      closed = true;
      for (const host of idle) retiring.get(host)?.();
      await Promise.all([...all].map((host) => host.close()));
      all.clear();
    },
  };
}

/** What the processor left, with the files it didn't touch taken from what we sent. */
function merge(
  before: readonly ResultFile[],
  after: Extract<FromHost, { type: 'done' }>['files'],
): ResultFile[] {
  const byName = new Map(before.map((file) => [file.name, file]));
  return after.flatMap((file) => {
    if (!('unchanged' in file)) return [fromWire(file)];
    const same = byName.get(file.unchanged);
    return same ? [same] : [];
  });
}
