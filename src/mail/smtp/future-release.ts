/** Whether a server that offers `FUTURERELEASE 86400 2027-01-01T00:00:00Z` holds a mail until then (RFC 4865). */
export function canHold(offer: string | undefined, until: number, now: number): boolean {
  if (offer === undefined) return false;
  const [seconds = '', latest = ''] = offer.trim().split(/\s+/);
  const latestAt = latest === '' ? Number.POSITIVE_INFINITY : Date.parse(latest);
  return until - now <= Number(seconds) * 1000 && until <= latestAt;
}

/** Times in SMTP have no fractions: `2026-11-16T10:00:00Z`. Rounded up, so that no mail is released too early. */
export function isoSeconds(time: number): string {
  return new Date(Math.ceil(time / 1000) * 1000).toISOString().replace('.000', '');
}
