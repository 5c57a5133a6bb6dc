/** When a page is read again, and which reading is kept. All are confidences or shares of letters, from 0 to 1. */
export interface Thresholds {
  /** From this mean confidence on, a second reading rarely finds anything better. */
  sureEnough: number;
  /** The same for models for Fraktur, which are never as sure. */
  sureOfFraktur: number;
  /** The same for a page whose shades were changed. */
  sureOfPrepared: number;
  /** Below this, even two readings are of little use, and the page may not be upright. */
  hopeless: number;
  /** How much surer, per letter, another reading of a line must be to replace it. */
  clearly: number;
  /** How much surer, per letter, the second reading must be as a whole for its layout to be taken. */
  much: number;
  /** Minimum confidence of a line that only one reading has found. */
  believed: number;
}

/** Fitted on real scans. `npm run bench -- transcription --only folds` fits them again, and judges them on other pages. */
export const fitted: Thresholds = {
  sureEnough: 0.87,
  sureOfFraktur: 0.75,
  sureOfPrepared: 0.9,
  hopeless: 0.6,
  clearly: 0.02,
  much: 0.08,
  believed: 0.75,
};

/** When another recogniser reads a line too, and when its reading is kept. */
export interface Doubts {
  /** Lines below this confidence are read by the other recogniser too. */
  unsureLine: number;
  /** Minimum share of letters in such lines. */
  least: number;
  /** Pages below this confidence are read as a whole, because their layout is unsure too. */
  unsurePage: number;
  /** Exponent that maps the other's confidence to that of the first for words of equal accuracy. */
  sureness: number;
  /** How much surer, per letter, its reading of a line must be. */
  clearly: number;
  /** How much surer, per letter, its reading must be as a whole for its layout to be taken. */
  much: number;
  /** Minimum confidence of a line that only the other has found. */
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
