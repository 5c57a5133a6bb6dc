import { parseRobots, type Robots } from '../text/robots-rules.ts';
import { FetchFailure } from './fetch-failure.ts';
import type { Answer } from './fetch-page.ts';
import type { VisitResult } from './plan.ts';

/** robots.txt is read up to here. */
export const robotsLimit = 500 * 1024;

type RobotsFound = Pick<VisitResult, 'outcome' | 'reason' | 'robots' | 'crawlDelayMs'>;

/** The rules are behind a redirect, and the host has had its requests. */
export const unfinished: { robots?: Robots; found: RobotsFound } = {
  found: { outcome: 'later', reason: 'redirected' },
};

/** What the answer to robots.txt means: its rules, no rules at all (4xx), or nothing yet. */
export function readRobots(
  answer: Answer | FetchFailure,
  agent: string,
): { robots?: Robots; found: RobotsFound } {
  if (answer instanceof FetchFailure) return { found: { outcome: 'later', reason: answer.kind } };
  const { status, body } = answer;
  if (status === 429 || status >= 500) return { found: { outcome: 'later', reason: `http ${status}` } };
  const text = status >= 200 && status < 300 ? body.subarray(0, robotsLimit) : Buffer.alloc(0);
  const robots = parseRobots(text);
  const delay = robots.crawlDelay(agent);
  return {
    robots,
    found: {
      outcome: 'stored',
      // Byte for byte, as rules compare bytes; but a database takes no zero characters.
      robots: text.toString('latin1').replaceAll('\0', ''),
      ...(delay !== undefined && delay > 0 && { crawlDelayMs: Math.min(delay, 3_600) * 1000 }),
    },
  };
}
