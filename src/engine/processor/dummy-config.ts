import { flag, number, parseStageConfig } from '../stage/stage-config.ts';

/**
 * Configuration of the processor `dummy`: lines `KEY = value`, as PERO's stages have them.
 *
 * Time to wait in seconds: size of the first file * TIME_SCALE + a random number from the interval
 * [TIME_DIFF_MIN, TIME_DIFF_MAX], or [-TIME_DELTA, TIME_DELTA]. Never negative.
 */
export interface DummyConfig {
  timeScale: number;
  differenceMin: number;
  differenceMax: number;
  /** Share of requests that fail, 0 to 1. */
  failureRate: number;
}

export const dummySettings = {
  DUMMY: flag(true, 'only true makes sense'),
  TIME_SCALE: number(1, 'seconds for each byte of the first file'),
  TIME_DELTA: number(0, 'seconds that the time varies by'),
  TIME_DIFF_MIN: number(undefined, 'seconds, lower end of the interval'),
  TIME_DIFF_MAX: number(undefined, 'seconds, upper end of the interval'),
  FAILURE_RATE: number(0, 'share of requests that fail', { min: 0, max: 1 }),
};

/** Throws an error for the administrator to read. */
export function parseDummyConfig(text: string): DummyConfig {
  const config = parseStageConfig(text, dummySettings);
  if (!config.DUMMY) throw new Error('DUMMY must be true: this processor does nothing but wait');
  const delta = Math.abs(config.TIME_DELTA);
  const differenceMin = config.TIME_DIFF_MIN ?? -delta;
  const differenceMax = config.TIME_DIFF_MAX ?? Math.max(delta, differenceMin);
  if (differenceMin > differenceMax) {
    throw new Error(`TIME_DIFF_MIN (${differenceMin}) is above TIME_DIFF_MAX (${differenceMax})`);
  }
  return { timeScale: config.TIME_SCALE, differenceMin, differenceMax, failureRate: config.FAILURE_RATE };
}

/** PT = DS * TS + TD, never below zero. `chance` is in [0, 1). */
export function dummySeconds(config: DummyConfig, dataSize: number, chance: number): number {
  const difference = config.differenceMin + (config.differenceMax - config.differenceMin) * chance;
  return Math.max(0, dataSize * config.timeScale + difference);
}
