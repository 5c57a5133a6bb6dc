import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OnDemand } from './on-demand.ts';

test('it is opened once for all who ask, and closed once', async () => {
  const calls: string[] = [];
  const lamp = new OnDemand(
    async () => calls.push('open'),
    () => calls.push('close'),
  );
  assert.deepEqual(calls, []);
  assert.deepEqual(await Promise.all([lamp.get(), lamp.get()]), [1, 1]);
  assert.equal(await lamp.get(), 1);
  await Promise.all([lamp.close(), lamp.close()]);
  assert.deepEqual(calls, ['open', 'close']);
  assert.throws(() => lamp.get(), /closed/);
});

test('what nobody asked for is not opened for closing', async () => {
  const calls: string[] = [];
  await new OnDemand(
    async () => calls.push('open'),
    () => calls.push('close'),
  ).close();
  assert.deepEqual(calls, []);
});

test('after a failure the next who asks tries again', async () => {
  let tries = 0;
  const server = new OnDemand(async () => {
    tries++;
    if (tries === 1) throw new Error('away');
    return 'here';
  });
  await assert.rejects(Promise.all([server.get(), server.get()]), /away/);
  assert.equal(await server.get(), 'here');
  assert.equal(tries, 2);
});

test('what is being opened while it is closed is closed too', async () => {
  const opened = Promise.withResolvers<string>();
  const closed: string[] = [];
  const door = new OnDemand(
    () => opened.promise,
    (name) => closed.push(name),
  );
  const asked = door.get();
  const closing = door.close();
  opened.resolve('door');
  await closing;
  assert.equal(await asked, 'door');
  assert.deepEqual(closed, ['door']);
});
