import type { Format } from './order.ts';

/** Names of the files that a page's request carries from stage to stage. Each stage may replace any of them. */
export const files = {
  /** What is wanted: `order.ts`. */
  order: 'order.json',
  /** The page as it came, an image in one of the accepted formats. */
  source: 'source',
  /** The image that is read, made by `prepare`; without that stage the source itself is read. */
  image: 'image.png',
  /** How `prepare` turned and scaled the source into the image: `prepare/transformation.ts`. */
  prepared: 'prepared.json',
  /** Regions and lines, made by `layout`: `page.ts` with no words yet. */
  layout: 'layout.json',
  /** What was read: `page.ts`. */
  page: 'page.json',
  /** Words that describe the page, made by `index`. */
  keywords: 'keywords.json',
} as const;

/** The results that a user gets, made by `export`. */
export const resultFiles: Record<Format, string> = {
  txt: 'text.txt',
  page: 'page.xml',
  alto: 'alto.xml',
  hocr: 'page.hocr',
  pdf: 'page.pdf',
  json: 'page.json',
};
