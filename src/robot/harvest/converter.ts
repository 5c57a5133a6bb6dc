import { messageOf } from '../../engine/errors.ts';
import { HelperProcess } from '../../engine/processor/helper-process.ts';
import { Overrun } from '../../engine/processor/watch-use.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { Slots } from '../../engine/turns/slots.ts';
import type { Converted } from '../../formats/converted/converted.ts';
import type { Answer } from '../fetch/fetch-page.ts';

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

const limits = { seconds: 20, memoryMb: 800 };
const scanLimits = { seconds: 300, memoryMb: 1_500 };

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
  /^(application\/((x-)?(pdf|rtf|msword|download)|mbox|octet-stream|force-download|zip|xml|rss\+xml|atom\+xml|rdf\+xml|x-gzip|gzip|vnd\.(oasis|openxmlformats|ms-)[\w.+-]*)|binary\/octet-stream|text\/(plain|rtf|xml))\b/i;

/** Reads files of other formats in a process of its own, one after another. */
export class Converter {
  readonly #turns = new Slots(1);
  readonly #helper = new HelperProcess<ConvertQuestion, Conversion | null>({
    module: new URL('./convert-program.ts', import.meta.url),
    clock: systemClock,
  });

  /** Undefined if the file has no text that could be read. */
  async convert(answer: Answer, url: string, wantsScans: boolean): Promise<Conversion | undefined> {
    const contentType = answer.headers['content-type'] ?? '';
    if (!convertible.test(contentType)) return undefined;
    const question = { bytes: answer.body, url, contentType, wantsScans };
    return this.#turns.run(async () => {
      const asked = this.#helper.ask(question, wantsScans ? scanLimits : limits);
      const converted = await asked.catch((error) => ({ kind: whyUnreadable(error), text: '', links: [] }));
      return converted ?? undefined;
    });
  }
}
