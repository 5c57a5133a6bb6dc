import { z } from 'zod';

/** What `split` made of a source, in the order of the pages: its file `pages.json`. */
export const splitPage = z.object({
  /** Name of the file that the page came from, for people only: never a path to write to. */
  name: z.string(),
  /** Counted from 1 where the file has several pages (TIFF, PDF). */
  part: z.int().positive().optional(),
  /** The file of the request that holds the page's image; missing when the page could not be opened. */
  file: z.string().optional(),
  /** Pixels as the page is seen, that is after turning as its EXIF orientation asks. */
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
  dpi: z.number().positive().optional(),
  /** The file of the request with what the PDF itself says is written there: `page.ts`. The page need not be read. */
  text: z.string().optional(),
  /** Why the page could not be opened, in words for its owner. */
  error: z.string().optional(),
});
export type SplitPage = z.infer<typeof splitPage>;

export const splitPages = z.object({ pages: z.array(splitPage) });
export type SplitPages = z.infer<typeof splitPages>;

/** Names of the files that `split` adds to the request. */
export const splitFiles = {
  list: 'pages.json',
  image: (number: number) => `pages/${String(number).padStart(4, '0')}`,
  text: (number: number) => `pages/${String(number).padStart(4, '0')}.page.json`,
} as const;
