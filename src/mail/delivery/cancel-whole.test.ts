import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { runMailHouse } from '../testing/running-mail.ts';
import { publishWhole, wholeMail } from '../testing/whole-mail.ts';

test('a whole mail that is cancelled in its queue is not sent, those beside it are, and a mistyped id is named', async (t) => {
  const { call, engine, received } = await runMailHouse(t);
  const { broker, clock } = engine;
  await broker.pause('mail.transactional');
  await publishWhole(broker)(
    wholeMail('w1', 'anna@example.org', clock.now()),
    wholeMail('w2', 'bert@example.org', clock.now()),
  );
  await assert.rejects(call('mail.cancel', { mail: 'w1' }), /there is no mail w1.*--whole/);
  await call('mail.cancel', { mail: 'w1', whole: true });
  await broker.resume('mail.transactional');
  const states = async () =>
    (await call('mail.ls', {})).mails.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`);
  const ended = async () => (await states()).length === 2;
  await eventually('both have ended', ended);
  assert.deepEqual((await states()).sort(), ['w1 cancelled', 'w2 sent']);
  assert.deepEqual(
    received.map(({ to }) => to[0]),
    ['bert@example.org'],
  );
});
