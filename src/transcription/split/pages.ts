import { z } from 'zod';
import { splitProgress } from '../page/order.ts';
import type { View } from '../views/views.ts';

/** A page in `pages.json`, the file in which `split` lists the pages of a source in order. */
export const splitPage = z.object({
  /** Name of the file that the page came from. For display only, never used as a path. */
  name: z.string(),
  /** Counted from 1, if the file has several pages (TIFF, PDF). */
  part: z.int().positive().optional(),
  /** The file in the request with the page's image; missing if the page could not be opened. */
  file: z.string().optional(),
  /** Files in the request with small images of it, as JPEG; missing if the stage doesn't make them, or could not. */
  thumbnail: z.string().optional(),
  view: z.string().optional(),
  /** In pixels, after applying the EXIF orientation. */
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
  dpi: z.number().positive().optional(),
  /** The PDF page has text already, visible or not. */
  hasText: z.boolean().optional(),
  /** The file in the request with the PDF's text layer: `page.ts`. Such a page needs no recognition. */
  text: z.string().optional(),
  /** Why the page could not be opened, for its owner. */
  error: z.string().optional(),
});
export type SplitPage = z.infer<typeof splitPage>;

export const splitPages = z.object({
  pages: z.array(splitPage),
  /** Pages before these, in earlier parts. */
  after: z.int().nonnegative().optional(),
  /** The source has more pages: send it again with this in its order. */
  next: splitProgress.optional(),
});
export type SplitPages = z.infer<typeof splitPages>;

/** Names of the files that `split` adds to the request. */
export const splitFiles = {
  list: 'pages.json',
  image: (number: number) => `pages/${String(number).padStart(4, '0')}`,
  view: (number: number, view: View) => `pages/${String(number).padStart(4, '0')}.${view}`,
  text: (number: number) => `pages/${String(number).padStart(4, '0')}.page.json`,
} as const;
