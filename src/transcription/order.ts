import { z } from 'zod';
import { splitProgress } from './split/split-part.ts';

/** What a page can be written as: text, PAGE XML, ALTO, hOCR, searchable PDF, JSON, and its tables as TSV. */
export const formats = ['txt', 'page', 'alto', 'hocr', 'pdf', 'json', 'tsv'] as const;
/** One of `formats`. */
export type Format = (typeof formats)[number];

/** What to do with a page. Travels with it through all stages as the file `order.json`. */
export const order = z.object({
  document: z.string(),
  /** Counted from 1. */
  page: z.int().positive(),
  /** Within its source, counted from 1; missing if the source is a single image. */
  part: z.int().positive().optional(),
  /** Of the page's image, if its source knows it. */
  dpi: z.number().positive().optional(),
  /** The owner's name for the page, e.g. the name of the scanned file. Never used as a path. */
  name: z.string(),
  /** As Tesseract names them, joined with `+`; `auto`: to be guessed. */
  language: z.string().default('auto'),
  formats: z.array(z.enum(formats)).default(['txt']),
  /** Use the text layer of a PDF instead of recognising its pages. By default the configuration of `split` decides. */
  textLayer: z.boolean().optional(),
  /** For `split`: its result may be a part of the source, and this is where the part begins. */
  split: splitProgress.optional(),
});
export type Order = z.infer<typeof order>;
