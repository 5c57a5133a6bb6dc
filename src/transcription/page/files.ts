/** The files that a page's request carries from stage to stage. Each stage may replace any of them. */
export const files = {
  /** Language and formats to produce: `order.ts`. */
  order: 'order.json',
  /** The original page, an image in one of the accepted formats. */
  source: 'source',
  /** The image to recognise, made by `prepare`. Without that stage, recognisers use the source. */
  image: 'image.png',
  /** How `prepare` turned and scaled the source into the image: `transformation.ts`. */
  prepared: 'prepared.json',
  /** Regions and lines, made by `layout`: `page.ts` without words. */
  layout: 'layout.json',
  /** The recognised text: `page.ts`. */
  page: 'page.json',
  /** Words that describe the page, made by `index`. */
  keywords: 'keywords.json',
} as const;

/** The prepared image as a result, if `export` is configured to keep it. */
export const preparedFile = 'prepared.png';
