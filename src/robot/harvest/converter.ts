import { messageOf } from '../../engine/ground/errors.ts';
import { HelperProcess } from '../../engine/processor/helper-process.ts';
import { Overrun, type UseLimits } from '../../engine/processor/watch-use.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { OwnerSlots } from '../../engine/turns/owner-slots.ts';
import type { Converted } from '../../formats/converted/converted.ts';
import type { Answer } from '../fetch/fetch-page.ts';
import type { PageMark } from './page-under-way.ts';

export interface ConvertQuestion {
  bytes: Uint8Array;
  url: string;
  contentType: string;
  /** Also render the pages of a PDF without text. */
  wantsScans: boolean;
}

const unreadable = ['encrypted file', 'file that takes too long', 'damaged file'] as const;
type Unreadable = (typeof unreadable)[number];

/** What became of a file. */
export interface Conversion extends Omit<Converted, 'kind'> {
  kind: Converted['kind'] | Unreadable;
  /** The pages of a PDF without text, as images. */
  scans?: Uint8Array[];
}

const quickLimits = { seconds: 3, memoryMb: 800 };
const slowLimits = { seconds: 20, memoryMb: 800 };
const scanLimits = { seconds: 300, memoryMb: 1_500 };

/** A crawl with so many files that took too long gets no more time for such files here. */
const mostOverruns = 5;

/** Only a few values, because a crawl counts its errors by them. */
function whyUnreadable(error: unknown): Unreadable {
  if (error instanceof Overrun) return 'file that takes too long';
  return /encrypted/.test(messageOf(error)) ? 'encrypted file' : 'damaged file';
}

export function isUnreadable(kind: string): boolean {
  return (unreadable as readonly string[]).includes(kind);
}

/** Whether the cleaner reads this answer itself. */
export function isHtml({ headers, body }: Answer): boolean {
  const type = headers['content-type'] ?? '';
  return (
    /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type) ||
    (type === '' && body.subarray(0, 500).includes('<'))
  );
}

/** Content types worth converting; servers that don't know the type send octet-stream. */
const convertible =
  /^(application\/((x-)?(pdf|rtf|msword|download)|mbox|octet-stream|force-download|zip|xml|rss\+xml|atom\+xml|rdf\+xml|x-gzip|gzip|vnd\.(oasis|openxmlformats|ms-)[\w.+-]*)|binary\/octet-stream|text\/(plain|rtf|xml))(?!\w)/i;

/** Who asks for a conversion. */
interface AskedFrom {
  crawl: number;
  wantsScans: boolean;
  /** Kills the conversion: its crawl was stopped. */
  stop: AbortSignal;
}

/** One process, which crawls use in turns. */
class Lane {
  readonly #turns = new OwnerSlots({
    inAll: 1,
    waitingPerOwner: Number.POSITIVE_INFINITY,
    what: 'files to be converted',
  });
  readonly #helper: HelperProcess<ConvertQuestion, Conversion | null>;

  constructor(onStart: () => void) {
    this.#helper = new HelperProcess({
      module: new URL('./convert-program.ts', import.meta.url),
      clock: systemClock,
      decodes: true,
      onStart,
    });
  }

  get process(): number | undefined {
    return this.#helper.pid;
  }

  ask(question: ConvertQuestion, { crawl, stop }: AskedFrom, limits: UseLimits): Promise<Conversion | null> {
    return this.#turns.run(String(crawl), () => this.#helper.ask(question, limits, stop), stop);
  }
}

/**
 * Reads files of other formats in processes of their own. There are two lanes: a file that takes long in the first one begins again in the second
 * one, where it delays only others of its kind. So a file of one crawl delays one of another crawl by a few seconds at most, however many there are.
 */
export class Converter {
  readonly #quick: Lane;
  readonly #slow: Lane;
  readonly #overruns = new Map<number, number>();
  readonly #slowCrawls = new Set<number>();

  constructor(mark: Pick<PageMark, 'processes'>) {
    const onStart = () => {
      mark.processes = this.processes;
    };
    this.#quick = new Lane(onStart);
    this.#slow = new Lane(onStart);
  }

  /** Undefined if the file has no text that could be read. */
  async convert(answer: Answer, url: string, from: AskedFrom): Promise<Conversion | undefined | 'stopped'> {
    const contentType = answer.headers['content-type'] ?? '';
    if (!convertible.test(contentType)) return undefined;
    const question = { bytes: answer.body, url, contentType, wantsScans: false };
    try {
      const converted = await this.#ask(question, from);
      const isScanned = from.wantsScans && converted?.kind === 'pdf' && converted.text === '';
      if (!isScanned) return converted ?? undefined;
      return (await this.#slow.ask({ ...question, wantsScans: true }, from, scanLimits)) ?? undefined;
    } catch (error) {
      if (from.stop.aborted) return 'stopped';
      return { kind: whyUnreadable(error), text: '', links: [] };
    }
  }

  get processes(): (number | undefined)[] {
    return [this.#quick.process, this.#slow.process];
  }

  /** Crawls with files that took too long since the last call. */
  takeSlow(): number[] {
    const crawls = [...this.#slowCrawls];
    this.#slowCrawls.clear();
    return crawls;
  }

  async #ask(question: ConvertQuestion, from: AskedFrom): Promise<Conversion | null> {
    const { crawl } = from;
    const overruns = () => this.#overruns.get(crawl) ?? 0;
    try {
      return await this.#quick.ask(question, from, quickLimits);
    } catch (error) {
      if (!(error instanceof Overrun && error.limit === 'time') || overruns() >= mostOverruns) throw error;
    }
    try {
      return await this.#slow.ask(question, from, slowLimits);
    } catch (error) {
      if (error instanceof Overrun) {
        this.#overruns.set(crawl, overruns() + 1);
        this.#slowCrawls.add(crawl);
      }
      throw error;
    }
  }
}
