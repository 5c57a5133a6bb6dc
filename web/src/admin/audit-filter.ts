import type { Input } from '../api/call.ts';

/** What the filter of the audit log asks for; the address holds it. */
export interface AuditFilter {
  actor: string;
  operation: string;
  owner: string;
  /** Days in the person's zone: 2026-03-18, the last one included. */
  from: string;
  to: string;
}

export function filterOf(query: URLSearchParams): AuditFilter {
  const of = (name: string) => query.get(name) ?? '';
  return {
    actor: of('actor'),
    operation: of('operation'),
    owner: of('owner'),
    from: of('from'),
    to: of('to'),
  };
}

/** The same as the server wants it. `startOf`: when a day begins for the person. */
export function inputOf(filter: AuditFilter, startOf: (day: string) => number): Input<'audit.export'> {
  const { actor, operation, owner, from, to } = filter;
  return {
    ...(actor && { actor }),
    ...(operation && { operation }),
    ...(owner && { owner }),
    ...(from && { from: startOf(from) }),
    ...(to && { to: startOf(nextDay(to)) }),
  };
}

export function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/** When a day begins in a zone. Where clocks go forward at midnight, its first moment. */
export function startOfDay(day: string, dayOf: (at: number) => string): number {
  const near = Date.parse(`${day}T00:00:00Z`);
  let [before, after] = [near - 15 * 3_600_000, near + 15 * 3_600_000];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayOf(middle) < day) before = middle;
    else after = middle;
  }
  return after;
}

/** The input of an entry in one line: `name anna, role reader`. Values are shown as they are, nested ones as JSON. */
export function inputInWords(input: unknown): string {
  if (typeof input !== 'object' || input === null)
    return input === undefined || input === null ? '' : String(input);
  return Object.entries(input)
    .map(
      ([name, value]) =>
        `${name} ${typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)}`,
    )
    .join(', ');
}
