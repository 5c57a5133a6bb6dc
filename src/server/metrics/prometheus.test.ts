import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workerMetrics } from './engine-metrics.ts';
import { prometheusText } from './prometheus.ts';

test('a label can hold any name without breaking the line', () => {
  const samples = [{ labels: { queue: 'a"b\\c\nd' }, value: 3 }];
  const text = prometheusText([{ name: 'depth', help: 'How many', type: 'gauge', samples }]);
  assert.equal(text, '# HELP depth How many\n# TYPE depth gauge\ndepth{queue="a\\"b\\\\c\\nd"} 3\n');
});

test('the mean time of a stage weighs each worker by what it processed', () => {
  const metrics = workerMetrics([
    { record: { id: 'one' }, presence: { timings: { ocr: { count: 3, meanMs: 1000 } } }, state: 'IDLE' },
    { record: { id: 'two' }, presence: { timings: { ocr: { count: 1, meanMs: 5000 } } }, state: 'IDLE' },
    { record: { id: 'three' }, presence: null, state: 'DEAD' },
  ]);
  const text = prometheusText(metrics);
  assert.match(text, /^pismak_processing_seconds_mean\{stage="ocr"\} 2$/m);
  assert.match(text, /^pismak_processed_total\{worker="one",stage="ocr"\} 3$/m);
  assert.match(text, /^pismak_workers\{state="IDLE"\} 2$/m);
  assert.match(text, /^pismak_workers\{state="DEAD"\} 1$/m);
});
