import type { Decode } from '../image/remember-grey.ts';
import type { Box, Page } from '../page/page.ts';
import type { QuarterTurn } from '../page/transformation.ts';

/** A program that reads text in images. Opened once per stage version and used page by page. */
export interface Recogniser {
  readonly name: string;
  /** Image formats that it opens. */
  readonly formats: readonly string[];
  /** Name, version, and models with their fingerprints if known. The results contain it. */
  describe(language: string): Promise<string>;
  /** Languages it reads, by their Tesseract names; `undefined` if unknown. */
  languages(): Promise<string[] | undefined>;
  /** Throws `PermanentFailure` for an image that can't be read. */
  recognise(image: Uint8Array, options: RecogniseOptions): Promise<Page>;
  /** Whether most of the last image gave no text, perhaps because it is not upright. */
  hasFailed?(image: Uint8Array): boolean;
  /** How far the page must be turned clockwise to be upright, and how sure that is; undefined if unknown. */
  orientation?(
    image: Uint8Array,
    options: Pick<RecogniseOptions, 'signal' | 'log'>,
  ): Promise<Orientation | undefined>;
  /**
   * Reads unsure lines and unread ink of this image by other means. Returns the page with the surer reading of every line; undefined if
   * there are no other means for these languages.
   */
  readAgain?(
    image: Uint8Array,
    page: Page,
    options: RecogniseOptions & { unread: readonly Box[] },
  ): Promise<Page | undefined>;
  /** A recogniser that reads many languages with one model, if available, to identify the language from its text. */
  readonly polyglot?: Recogniser;
  close(): Promise<void>;
}

export interface Orientation {
  turn: QuarterTurn;
  /** Tesseract's own measure, or the margin over other directions; reliable from about 2. */
  confidence: number;
}

export interface RecogniseOptions {
  /** Tesseract language names, joined with `+`. */
  language: string;
  /** The page's regions, of which those with text are read, in order. By default the whole page is read. */
  layout?: Page | undefined;
  signal: AbortSignal;
  log(line: string): void;
  /** Returns decoded pixels, for recognisers that need them; the image may have been decoded already. */
  decode?: Decode;
}

/** The parts of the page with text; `undefined` to read the whole page. */
export function textZones(layout: Page | undefined): Box[] | undefined {
  const zones = layout?.regions.filter((region) => region.kind === 'text').map((region) => region.box) ?? [];
  return zones.length > 0 ? zones : undefined;
}
