import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { runMailHouse } from '../testing/running-mail.ts';
import { PolicyWatch } from './policy-watch.ts';

test('twenty refusals for policy in a row pause the class; the alert says why, and names no recipient', async (t) => {
  const { engine } = await runMailHouse(t);
  const watch = new PolicyWatch(engine);
  const answer = '554 5.7.1 <anna@example.org>: blocked';
  const refuse = (times: number) => {
    for (let count = 0; count < times; count++)
      watch.watch('bulk', { kind: 'failed', code: 554, enhanced: '5.7.1', answer });
  };
  refuse(19);
  watch.watch('bulk', { kind: 'sent', answer: '250 ok' });
  refuse(19);
  assert.equal((await engine.broker.status('mail.bulk')).paused, false);
  refuse(1);
  await eventually('it is paused', async () => (await engine.broker.status('mail.bulk')).paused);
  const alert = await eventually('the alert', async () =>
    (await engine.alerts.list()).find(({ kind }) => kind === 'mail.refused'),
  );
  assert.match(alert.reason, /554 5\.7\.1 <ADDRESS>: blocked\. Resume with `queue resume mail\.bulk`/);
});
