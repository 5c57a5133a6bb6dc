import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { runMailHouse } from '../testing/running-mail.ts';

test('alerts and their ends are mailed, not too many in an hour; a mail about an alert that fails raises none', async (t) => {
  const mail = { alertsTo: ['root@example.org', 'gone@example.org'], alertsPerHour: 3 };
  const { call, engine, received } = await runMailHouse(t, { mail, misbehave: ['554@rcpt=gone@'] });
  const subjects = () =>
    received.map(({ content }) => /^Subject: (.*)\r$/m.exec(content.toString('latin1'))?.[1]).sort();
  await engine.alerts.raise('disk.low', 'data', 'only <1 GB> left');
  await engine.alerts.clear('disk.low', 'data');
  await eventually('both are mailed', () => received.length === 2);
  assert.deepEqual(subjects(), ['Alert: disk.low data', 'Over: disk.low data']);
  assert.match(received[0]?.content.toString() ?? '', /only &lt;1 GB&gt; left/);
  for (const entity of ['a', 'b', 'c']) await engine.alerts.raise('disk.low', entity, 'again');
  await eventually('one more is mailed', () => received.length === 3);
  const failed = async () => (await call('mail.ls', { state: 'failed' })).mails.length;
  await eventually('the others have failed', async () => (await failed()) === 3);
  assert.equal((await call('mail.ls', {})).mails.length, 6);
  assert.match(received[2]?.content.toString() ?? '', /No more mails about alerts follow/);
  const { alerts } = await call('alert.ls', {});
  assert.deepEqual(
    alerts.map(({ kind }: { kind: string }) => kind),
    ['disk.low', 'disk.low', 'disk.low'],
  );
});
