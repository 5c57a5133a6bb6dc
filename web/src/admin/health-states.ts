const day = 86_400_000;

/** How a certificate stands: it is renewed two weeks before its end at the latest. */
export function certificateState(validTo: number | null, now: number): 'ok' | 'warning' | 'failed' {
  if (validTo === null || validTo <= now) return 'failed';
  return validTo - now < 14 * day ? 'warning' : 'ok';
}

/** How a disk stands: below a tenth it should be looked at, below 2 % it is full for most purposes. */
export function diskState(free: number | null, total: number | null): 'ok' | 'warning' | 'failed' {
  if (free === null || !total) return 'warning';
  const part = free / total;
  return part < 0.02 ? 'failed' : part < 0.1 ? 'warning' : 'ok';
}
