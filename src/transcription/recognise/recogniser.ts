import type { Box, Page } from '../page.ts';

/** A program that reads text in images. Made once per version of a stage, then asked page by page. */
export interface Recogniser {
  readonly name: string;
  /** Formats of images that it opens by itself. */
  readonly formats: readonly string[];
  /** Name, version, and models with their versions as far as they are known: goes into what it has read. */
  describe(language: string): Promise<string>;
  /** What it can read, as Tesseract names them; `undefined` = it doesn't say. */
  languages(): Promise<string[] | undefined>;
  /** Throws `PermanentFailure` for an image that can't be read. */
  recognise(image: Uint8Array, options: RecogniseOptions): Promise<Page>;
  close(): Promise<void>;
}

export interface RecogniseOptions {
  /** As Tesseract names them, joined with `+`. */
  language: string;
  /** The page's regions: only those with text are read, in their order. The whole page without it. */
  layout?: Page | undefined;
  signal: AbortSignal;
  log(line: string): void;
}

/** The parts of the page that hold text; `undefined` when all of it should be read. */
export function textZones(layout: Page | undefined): Box[] | undefined {
  const zones = layout?.regions.filter((region) => region.kind === 'text').map((region) => region.box) ?? [];
  return zones.length > 0 ? zones : undefined;
}
