/** When a page is read again, and which reading of it is kept. All are confidences or shares of letters, from 0 to 1. */
export interface Thresholds {
  /** From this mean confidence on, a second reading rarely finds anything better. */
  sureEnough: number;
  /** The same for models for Fraktur, which are never as sure. */
  sureOfFraktur: number;
  /** The same for a page whose shades were changed. */
  sureOfPrepared: number;
  /** Below this one, even two readings are hardly better than none; and the page may lie the wrong way round. */
  hopeless: number;
  /** How much surer, per letter, another reading of a line must be to replace it. */
  clearly: number;
  /** How much surer, per letter, the second reading must be as a whole for its layout to be taken. */
  much: number;
  /** A line that one reading alone has found is believed from here on. */
  believed: number;
}

/** Fitted on real scans; `npm run bench -- transcription --only folds` fits them again, on other pages than those it judges them by. */
export const fitted: Thresholds = {
  sureEnough: 0.87,
  sureOfFraktur: 0.75,
  sureOfPrepared: 0.9,
  hopeless: 0.6,
  clearly: 0.02,
  much: 0.08,
  believed: 0.75,
};

/** When another recogniser is asked for its reading of a line, and when that is kept. */
export interface Doubts {
  /** A line less sure than this is read by the other one too. */
  unsureLine: number;
  /** The share of the letters of a page in such lines from which on it is worth asking. */
  least: number;
  /** A page less sure than this is read by the other one as a whole: its layout is unsure too. */
  unsurePage: number;
  /** The power of the other's confidence that makes it as high as that of the first for words that are right as often. */
  sureness: number;
  /** How much surer, per letter, its reading of a line must be. */
  clearly: number;
  /** How much surer, per letter, its reading must be as a whole for its layout to be taken. */
  much: number;
  /** A line that only the other has found is believed from here on. */
  believed: number;
}

/** Tesseract first, Pismak's own recogniser second. */
export const fittedDoubts: Doubts = {
  unsureLine: 0.94,
  least: 0.05,
  unsurePage: 0.85,
  sureness: 0.5,
  clearly: 0,
  much: 0.5,
  believed: 0.75,
};
