import type { VisitResult } from '../batch/report.ts';
import { FetchFailure } from '../fetch/fetch-failure.ts';
import type { Answer } from '../fetch/fetch-page.ts';
import { crawlDelayMs } from '../politeness/rules.ts';
import { longestRobotsFile, parseRobots, type Robots, robotsText } from '../text/robots-rules.ts';

/** Maximum length of robots.txt; one byte more than counts, which shows that it was cut off. */
export const robotsLimit = longestRobotsFile + 1;

type RobotsFound = Pick<VisitResult, 'outcome' | 'reason' | 'robots' | 'crawlDelayMs'>;

/** The rules are behind a redirect, and the host has had all its requests. */
export const unfinished: { robots?: Robots; found: RobotsFound } = {
  found: { outcome: 'later', reason: 'redirected' },
};

/** Reads the answer to robots.txt: rules, no rules at all (4xx), or nothing yet. */
export function readRobots(
  answer: Answer | FetchFailure,
  agent: string,
): { robots?: Robots; found: RobotsFound } {
  if (answer instanceof FetchFailure) return { found: { outcome: 'later', reason: answer.kind } };
  const { status, body } = answer;
  if (status === 429 || status >= 500) return { found: { outcome: 'later', reason: `http ${status}` } };
  const text = status >= 200 && status < 300 ? robotsText(body) : '';
  const robots = parseRobots(Buffer.from(text, 'latin1'));
  const delay = robots.crawlDelay(agent);
  return {
    robots,
    found: {
      outcome: 'stored',
      // Byte for byte, because rules match bytes.
      robots: text,
      ...(delay !== undefined && delay > 0 && { crawlDelayMs: crawlDelayMs(delay) }),
    },
  };
}
