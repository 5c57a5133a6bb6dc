import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { HelperProcess } from '../../engine/processor/helper-process.ts';
import { isPermanent } from '../../engine/processor/processor.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { OwnerSlots } from '../../engine/turns/owner-slots.ts';
import { longestReport, type Report } from './read-report.ts';

export interface ReportQuestion {
  content: Uint8Array;
  envelopeTo: string;
}

export type ReportAnswer = { report: Report } | { problem: string };

/** A report takes milliseconds. */
const limits = { seconds: 5, memoryMb: 400 };

/** Reads returned mails in a process of its own, because anyone can send one. It starts with the first and ends when it is idle. */
export class ReportReader {
  readonly #turns = new OwnerSlots({ inAll: 1, waitingPerOwner: 1_000, what: 'returned mails' });
  readonly #helper: HelperProcess<ReportQuestion, ReportAnswer>;

  constructor(clock: Clock) {
    this.#helper = new HelperProcess({
      module: new URL('./read-report-process.ts', import.meta.url),
      clock,
      decodes: true,
    });
  }

  async read(content: Buffer, envelopeTo = ''): Promise<Report> {
    const question = { content: content.subarray(0, longestReport), envelopeTo };
    const answer = await this.#turns.run('', () => this.#helper.ask(question, limits)).catch(explain);
    if ('problem' in answer) throw new PismakError('invalid-input', answer.problem);
    return answer.report;
  }

  close(): void {
    this.#helper.close();
  }
}

function explain(cause: unknown): never {
  if (!isPermanent(cause)) throw cause;
  throw new PismakError('invalid-input', `the mail can't be read: ${messageOf(cause)}`, { cause });
}
