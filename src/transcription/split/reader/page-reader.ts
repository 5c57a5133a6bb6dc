import { HelperProcess } from '../../../engine/processor/helper-process.ts';
import type { UseLimits } from '../../../engine/processor/watch-use.ts';
import { systemClock } from '../../../engine/time/clock.ts';
import type { ImageLimits } from '../../image/image-limits.ts';
import type { View } from '../../views/views.ts';
import type { Answer, PageFacts, PageFile, Question } from './question.ts';

/**
 * Opens foreign files in a process of its own, which is killed at a page that takes too much time or memory. All calls reject
 * with a `PermanentFailure` if the file is at fault.
 */
export class PageReader {
  readonly #helper = new HelperProcess<Question, Answer>({
    module: new URL('./reader.ts', import.meta.url),
    clock: systemClock,
    // It shares the files and the sandbox of the stage's process.
    decodes: false,
  });
  readonly #limits: UseLimits;

  constructor(limits: UseLimits) {
    this.#limits = limits;
  }

  /** Processor time used so far. */
  get cpuSeconds(): number {
    return this.#helper.cpuSeconds;
  }

  async count(file: PageFile, signal: AbortSignal): Promise<number> {
    const answer = await this.#helper.ask({ kind: 'count', file }, this.#limits, signal);
    return 'pages' in answer ? answer.pages : 0;
  }

  /** Saves the image of a page, counted from 0, as the new file `to`. */
  async save(file: PageFile, index: number, to: string, signal: AbortSignal): Promise<PageFacts> {
    const answer = await this.#helper.ask({ kind: 'page', file, index, to }, this.#limits, signal);
    if ('page' in answer) return answer.page;
    throw new Error('the process that opens files gave a wrong answer');
  }

  async check(file: PageFile, signal: AbortSignal): Promise<void> {
    await this.#helper.ask({ kind: 'check', file }, this.#limits, signal);
  }

  /** Writes the thumbnail and the view of an image as new files beside it. */
  async views(image: string, limits: ImageLimits, signal: AbortSignal): Promise<Record<View, string>> {
    const to = { thumbnail: `${image}-thumbnail`, view: `${image}-view` };
    await this.#helper.ask({ kind: 'views', image, to, limits }, this.#limits, signal);
    return to;
  }

  /** The file that was last open is not needed any more. */
  async release(): Promise<void> {
    if (this.#helper.pid === undefined) return;
    await this.#helper.ask({ kind: 'close' }, this.#limits).catch(() => this.#helper.close());
  }

  close(): void {
    this.#helper.close();
  }
}
