/** The result of one check. */
export interface Finding {
  check: string;
  state: 'ok' | 'warn' | 'FAIL';
  found: string;
  /** What to do about it; empty if the check passed. */
  advice: string;
}

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found, advice: '' };
}

export function warn(check: string, found: string, advice: string): Finding {
  return { check, state: 'warn', found, advice };
}

export function fail(check: string, found: string, advice: string): Finding {
  return { check, state: 'FAIL', found, advice };
}
