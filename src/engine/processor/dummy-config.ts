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

const keys = ['DUMMY', 'TIME_SCALE', 'TIME_DELTA', 'TIME_DIFF_MIN', 'TIME_DIFF_MAX', 'FAILURE_RATE'] as const;
type Key = (typeof keys)[number];

/** Throws what the administrator should read. */
export function parseDummyConfig(text: string): DummyConfig {
  const values = new Map<Key, string>();
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/[#;].*$/, '').trim();
    // A section header is allowed, because configurations written for PERO have one.
    if (line === '' || /^\[.*\]$/.test(line)) continue;
    const match = /^([A-Za-z_]+)\s*=\s*(.*)$/.exec(line);
    if (!match) throw new Error(`line ${index + 1}: expected KEY = value, found: ${line}`);
    const key = (match[1] ?? '').toUpperCase();
    if (!isKey(key)) throw new Error(`line ${index + 1}: unknown key ${match[1]}; known: ${keys.join(', ')}`);
    values.set(key, match[2] ?? '');
  }
  const number = (key: Key, fallback: number) => {
    const text = values.get(key);
    const value = text === undefined ? fallback : Number(text);
    if (text === '' || !Number.isFinite(value)) throw new Error(`${key} must be a number, found: ${text}`);
    return value;
  };
  const flag = values.get('DUMMY');
  if (flag !== undefined && !/^(true|yes|1)$/i.test(flag))
    throw new Error(`DUMMY must be True, found: ${flag}`);

  const delta = Math.abs(number('TIME_DELTA', 0));
  const differenceMin = number('TIME_DIFF_MIN', -delta);
  const differenceMax = number('TIME_DIFF_MAX', Math.max(delta, differenceMin));
  if (differenceMin > differenceMax) {
    throw new Error(`TIME_DIFF_MIN (${differenceMin}) is above TIME_DIFF_MAX (${differenceMax})`);
  }
  const failureRate = number('FAILURE_RATE', 0);
  if (failureRate < 0 || failureRate > 1) throw new Error(`FAILURE_RATE must be between 0 and 1`);
  return { timeScale: number('TIME_SCALE', 1), differenceMin, differenceMax, failureRate };
}

/** PT = DS * TS + TD, never below zero. `chance` is in [0, 1). */
export function dummySeconds(config: DummyConfig, dataSize: number, chance: number): number {
  const difference = config.differenceMin + (config.differenceMax - config.differenceMin) * chance;
  return Math.max(0, dataSize * config.timeScale + difference);
}

function isKey(key: string): key is Key {
  return (keys as readonly string[]).includes(key);
}
