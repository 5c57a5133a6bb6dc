import { z } from 'zod';

/** Where the splitting of a source continues: a long one is split in parts, so that other sources get their turn in between. */
export const splitProgress = z.object({
  /** Pages that earlier parts have listed. */
  pages: z.int().nonnegative(),
  /** Pages of the source that they came from, if some were divided. */
  opened: z.int().nonnegative().optional(),
  /** Processor time used so far. */
  seconds: z.number().nonnegative(),
  /** Pages that took more time or memory than allowed. */
  overruns: z.int().nonnegative(),
});
export type SplitProgress = z.infer<typeof splitProgress>;

export const noProgress: SplitProgress = { pages: 0, seconds: 0, overruns: 0 };

/** What to do with a page. Travels with it through all stages as the file `order.json`. */
export const order = z.object({
  document: z.string(),
  /** Counted from 1. */
  page: z.int().positive(),
  /** Within its source, counted from 1; missing if the source is a single image. */
  part: z.int().positive().optional(),
  /** Resolution of the page's image, if its source states it. */
  dpi: z.number().positive().optional(),
  /** The owner's name for the page, e.g. the name of the scanned file. Never used as a path. */
  name: z.string(),
  /** Tesseract language names, joined with `+`; `auto`: guess. */
  language: z.string().default('auto'),
  /** Names of output formats. Only `export` checks them: the server that accepted them may be newer than this worker. */
  formats: z.array(z.string()).default(['txt']),
  /** Use the text layer of a PDF instead of recognising its pages. By default the configuration of `split` decides. */
  textLayer: z.boolean().optional(),
  /** For `split`: return the source in parts, and begin here. */
  split: splitProgress.optional(),
});
export type Order = z.infer<typeof order>;
