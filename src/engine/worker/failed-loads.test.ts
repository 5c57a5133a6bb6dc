import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../time/clock.ts';
import { FailedLoads } from './failed-loads.ts';

const stage = { name: 'ocr', version: 1 };
const versions = new Map([['ocr', 1]]);

test('a stage that could not be loaded is avoided for a minute; how often is remembered', () => {
  const clock = new ManualClock();
  const failed = new FailedLoads(clock);
  failed.note(stage, 'no model');
  assert.deepEqual(failed.unable(versions), { ocr: 'no model' });
  clock.advance(60_000);
  assert.deepEqual([failed.unable(versions), failed.counts(versions)], [{}, { ocr: 1 }]);
  failed.note(stage, 'no model');
  assert.deepEqual([failed.unable(versions), failed.counts(versions)], [{ ocr: 'no model' }, { ocr: 2 }]);
});

test('a stage that is loaded at last, or has a new version, starts anew', () => {
  const failed = new FailedLoads(new ManualClock());
  failed.note(stage, 'no model');
  assert.deepEqual(failed.counts(new Map([['ocr', 2]])), {});
  failed.note({ ...stage, version: 2 }, 'still none');
  assert.deepEqual(failed.counts(new Map([['ocr', 2]])), { ocr: 1 });
  failed.note({ ...stage, version: 2 }, undefined);
  assert.deepEqual(failed.counts(new Map([['ocr', 2]])), {});
});
