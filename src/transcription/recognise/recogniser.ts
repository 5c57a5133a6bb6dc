import type { Decode } from '../image/remember-grey.ts';
import type { Box, Page } from '../page/page.ts';
import type { QuarterTurn } from '../page/transformation.ts';

/** A program that reads text in images. Opened once per version of a stage, then used page by page. */
export interface Recogniser {
  readonly name: string;
  /** Image formats that it can open. */
  readonly formats: readonly string[];
  /** Name, version, and models with their fingerprints if known. The results contain it. */
  describe(language: string): Promise<string>;
  /** Languages it can read, as Tesseract names them; `undefined` if unknown. */
  languages(): Promise<string[] | undefined>;
  /** Throws `PermanentFailure` for an image that can't be read. */
  recognise(image: Uint8Array, options: RecogniseOptions): Promise<Page>;
  /** Whether most of the image that was read last gave no text. It may lie the wrong way round. */
  hasFailed?(image: Uint8Array): boolean;
  /** How far a page must be turned clockwise to stand upright, as far as this program can tell, and how sure it is. */
  orientation?(
    image: Uint8Array,
    options: Pick<RecogniseOptions, 'signal' | 'log'>,
  ): Promise<Orientation | undefined>;
  /**
   * Reads what is doubtful in a reading of this image with other means, and the places with ink that were not read. The page with the surer
   * reading of every line; undefined if it has no other means for these languages.
   */
  readAgain?(
    image: Uint8Array,
    page: Page,
    options: RecogniseOptions & { unread: readonly Box[] },
  ): Promise<Page | undefined>;
  /** Reads many languages with one model, if there is such a one: its text tells which language it is. */
  readonly polyglot?: Recogniser;
  close(): Promise<void>;
}

export interface Orientation {
  turn: QuarterTurn;
  /** Tesseract's own measure, or how much surer this direction is than the others; from about 2 on it is right. */
  confidence: number;
}

export interface RecogniseOptions {
  /** As Tesseract names them, joined with `+`. */
  language: string;
  /** The page's regions: only those with text are read, in order. Without it, the whole page is read. */
  layout?: Page | undefined;
  signal: AbortSignal;
  log(line: string): void;
  /** For recognisers that need the pixels: others may have decoded the image already. */
  decode?: Decode;
}

/** The parts of the page with text; `undefined` to read the whole page. */
export function textZones(layout: Page | undefined): Box[] | undefined {
  const zones = layout?.regions.filter((region) => region.kind === 'text').map((region) => region.box) ?? [];
  return zones.length > 0 ? zones : undefined;
}
