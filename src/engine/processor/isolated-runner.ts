import { messageOf } from '../ground/errors.ts';
import type { ResultFile } from '../request/request.ts';
import { unlessAborted } from '../time/deadline.ts';
import type { HostAnswer, HostProcess } from './host-process.ts';
import type { FromHost } from './host-protocol.ts';
import { type Runner, type RunnerJob, type RunnerResult, StageLogText } from './runner.ts';
import type { StageCode } from './stage-code.ts';
import { fromWire, toWire } from './wire-files.ts';
import type { WorkerProcesses } from './worker-processes.ts';

/**
 * Runs a processor in separate processes, one request at a time in each, so that a crash costs one attempt of one
 * request. `fetchFiles` gets the stage's files ready before a process loads it.
 */
export function createIsolatedRunner(
  code: StageCode,
  processes: WorkerProcesses,
  fetchFiles: () => Promise<void> = async () => {},
): Runner {
  const { stage } = code;

  async function run(job: RunnerJob): Promise<RunnerResult> {
    const log = new StageLogText();
    const failed = (
      reason: string,
      more: Partial<Pick<Failed, 'permanent' | 'wrongWorker' | 'notLoaded' | 'ended'>> = {},
    ): RunnerResult => {
      log.add(reason);
      const aborted = job.signal.aborted;
      return { ok: false, reason, permanent: false, notLoaded: false, ...more, aborted, log: log.toString() };
    };
    const { uuid, attempt, signal } = job;
    const onLog = (line: string) => log.add(line);
    const ask = (host: HostProcess) =>
      host.run({ stage, uuid, attempt, signal, onLog, files: job.files.map(toWire) });
    let answer: HostAnswer;
    let isSecond = false;
    try {
      if (!processes.has(stage)) await unlessAborted(fetchFiles(), signal);
      let host = await processes.borrow(code, { signal, owner: job.owner ?? '' });
      const { isUsed } = host;
      answer = await ask(host);
      // This request is not to blame for what an earlier one left behind (a late rejection, a corrupted heap).
      const isBroken = answer.type === 'crashed' || answer.type === 'refused';
      if (isBroken && isUsed && !signal.aborted) {
        host = await processes.replace(host, code);
        isSecond = true;
        answer = await ask(host);
      }
      processes.giveBack(host, stage);
    } catch (error) {
      return failed(messageOf(error), { notLoaded: true });
    }
    if (answer.type === 'done')
      return { ok: true, files: merge(job.files, answer.files), log: log.toString() };
    if (answer.type === 'failed') {
      const { reason, permanent, wrongWorker } = answer;
      return failed(reason, { permanent, wrongWorker });
    }
    if (answer.type === 'refused') return failed(answer.reason, { permanent: true });
    if (answer.type === 'timeout') return failed(answer.reason, { ended: 'timeout' });
    return failed(answer.reason, { ended: isSecond ? 'crashed twice' : 'crashed' });
  }

  return {
    async load() {
      await fetchFiles();
      processes.giveBack(await processes.borrow(code), stage);
    },
    isLoaded: () => processes.has(stage),
    run,
    async close() {
      processes.unload(stage);
    },
  };
}

type Failed = Extract<RunnerResult, { ok: false }>;

/** The files that the processor left; those it didn't touch are taken from what we sent. */
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
