import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from './decision.ts';

const decided = (headers: [string, string][], metaRobots: string[] = []) => {
  const { index, follow, archive } = decide({ agent: 'PismakRobot', headers, metaRobots });
  return [index && 'index', follow && 'follow', archive && 'archive'].filter(Boolean).join(' ');
};

test('meta robots and X-Robots-Tag are obeyed together, the strictest first', () => {
  assert.equal(decided([]), 'index follow archive');
  assert.equal(decided([], ['noindex']), 'follow archive');
  assert.equal(decided([['X-Robots-Tag', 'nofollow']], ['noindex, noarchive']), '');
  assert.equal(decided([['x-robots-tag', 'none']]), '');
  assert.equal(decided([['X-Robots-Tag', 'index, follow']], ['index']), 'index follow archive');
});

test('what is said to another robot does not concern us', () => {
  assert.equal(
    decided([['X-Robots-Tag', 'googlebot: noindex, nofollow']], ['bingbot: none']),
    'index follow archive',
  );
  assert.equal(decided([['X-Robots-Tag', 'pismakrobot: noindex']]), 'follow archive');
  assert.equal(
    decided([['X-Robots-Tag', 'unavailable_after: 25 Jun 2030 15:00:00 PST']]),
    'index follow archive',
  );
});

test('tdmrep.json counts unless the answer itself says otherwise', () => {
  const reserved = (headers: [string, string][]) =>
    decide({ agent: 'PismakRobot', headers, metaRobots: [], isReserved: true }).index;
  assert.equal(reserved([]), false);
  assert.equal(reserved([['tdm-reservation', '0']]), true);
});

test('a reservation of text and data mining keeps a page out of corpus and archive', () => {
  assert.equal(decided([['tdm-reservation', '1']]), 'follow');
  assert.equal(decided([['TDM-Reservation', '0']]), 'index follow archive');
  assert.equal(decided([['Content-Signal', 'search=yes, ai-train=no']]), 'follow');
  assert.equal(decided([], ['noai']), 'follow');
});
