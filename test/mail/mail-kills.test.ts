import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { surviveMailKills } from './mail-kills.ts';

test('killing Pismak in the middle of a campaign loses no mail; what may be there twice is counted', {
  timeout: 180_000,
}, async (t) => {
  const directory = await temporaryDirectory(t);
  const figures = await surviveMailKills({
    directory,
    kills: 3,
    recipients: 2000,
    lifeMs: 1500,
    say: (line) => t.diagnostic(line),
  });
  t.diagnostic(JSON.stringify(figures));
  assert.deepEqual([figures.lost, figures.wrong], [0, 0]);
  assert.ok(figures.duplicates <= figures.counted, `${figures.duplicates} twice, ${figures.counted} counted`);
  assert.ok(
    figures.duplicates <= figures.inFlight && figures.counted <= figures.inHand,
    `${figures.duplicates} twice, ${figures.inFlight} in flight; ${figures.counted} counted, ${figures.inHand} in hand`,
  );
});
