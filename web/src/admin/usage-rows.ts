import type { Output } from '../api/call.ts';

type Used = Output<'usage.ls'>['usage'][number];
type Limits = Output<'usage.limits'>['limits'][number];

/** What somebody has used, beside what they may. */
export interface UsageRow extends Pick<Limits, 'pagesPerMonth' | 'pagesWaiting' | 'storageMb'> {
  /** `user:anna` or `key:...`. */
  subject: string;
  pages: number;
  stored: number | null;
  /** At one of the limits, or beyond it. */
  over: boolean;
}

/** One row for each subject that has used something or has limits. */
export function rowsOf(usage: readonly Used[], limits: readonly Limits[]): UsageRow[] {
  const used = new Map(usage.map((one) => [one.subject, one]));
  const limited = new Map(limits.map((one) => [one.subject, one]));
  return [...new Set([...used.keys(), ...limited.keys()])].map((subject) => {
    const { pages = 0, stored = null } = used.get(subject) ?? {};
    const { pagesPerMonth = null, pagesWaiting = null, storageMb = null } = limited.get(subject) ?? {};
    const over =
      (pagesPerMonth !== null && pages >= pagesPerMonth) ||
      (storageMb !== null && (stored ?? 0) >= storageMb * 2 ** 20);
    return { subject, pages, stored, pagesPerMonth, pagesWaiting, storageMb, over };
  });
}
