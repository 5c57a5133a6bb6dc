import { z } from 'zod';
import type { VisitResult } from '../batch/report.ts';
import { FetchFailure } from '../fetch/fetch-failure.ts';
import type { Answer } from '../fetch/fetch-page.ts';
import { parseRobots } from '../text/robots-rules.ts';

export const tdmLimit = 500 * 1024;
const mostRules = 1_000;
const longestRules = 20_000;

const ruleSchema = z.object({
  location: z.string().max(2_000),
  'tdm-reservation': z.union([z.int(), z.boolean()]),
});
const fileSchema = z.array(z.unknown());

/**
 * Reads the answer to tdmrep.json. Its locations are patterns as in robots.txt and the most specific one counts, so the rules are kept in
 * that form: `Disallow` means reserved. A file that is missing or malformed reserves nothing.
 */
export function readTdm(answer: Answer | FetchFailure): Pick<VisitResult, 'outcome' | 'reason' | 'tdm'> {
  if (answer instanceof FetchFailure) return { outcome: 'later', reason: answer.kind };
  const { status, body } = answer;
  if (status === 429 || status >= 500) return { outcome: 'later', reason: `http ${status}` };
  return { outcome: 'stored', tdm: status >= 200 && status < 300 ? rulesIn(body.toString()) : '' };
}

function rulesIn(text: string): string {
  let file: unknown[];
  try {
    file = fileSchema.parse(JSON.parse(text.replace(/^\uFEFF/, '')));
  } catch {
    return '';
  }
  const lines = file.slice(0, mostRules).flatMap((entry) => {
    const rule = ruleSchema.safeParse(entry);
    if (!rule.success) return [];
    const { location, 'tdm-reservation': reservation } = rule.data;
    const pattern = location.replaceAll(/[\s#\0]/g, encodeURIComponent);
    return [`${Number(reservation) === 1 ? 'Disallow' : 'Allow'}: ${pattern.replace(/^(?=[^/*])/, '/')}`];
  });
  if (!lines.some((line) => line.startsWith('Disallow'))) return '';
  return ['User-agent: *', ...lines].join('\n').slice(0, longestRules);
}

export function isReservedBy(rules: string, path: string): boolean {
  return rules !== '' && !parseRobots(Buffer.from(rules)).isAllowed('*', path);
}
