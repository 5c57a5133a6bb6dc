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
