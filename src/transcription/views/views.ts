/** Images of a page that are stored beside it, so that viewers need not decode the scan: as JPEG, never enlarged. */
export const views = {
  /** For lists, on screens of twice the usual resolution. */
  thumbnail: { longest: 320, quality: 70 },
  /** What a viewer shows first. */
  view: { longest: 2000, quality: 80 },
} as const;

export type View = keyof typeof views;
