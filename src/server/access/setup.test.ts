import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../engine/time/clock.ts';
import { type RunningServer, runServer } from '../testing/running-server.ts';

const account = { name: 'anna', password: 'correct horse' };
const claim = (server: RunningServer, token: string) => server.call('setup.claim', { token, ...account });

async function tokenOf(server: RunningServer): Promise<string> {
  const link = await server.setupLink();
  assert.ok(link?.startsWith(`${server.url}/setup#`));
  return link?.split('#')[1] ?? '';
}

test('the link of the terminal makes the first administrator, once', async (t) => {
  const server = await runServer(t);
  const token = await tokenOf(server);
  assert.match((await server.send('GET', '/setup')).text, /Choose the name and the password/);
  assert.equal((await claim(server, token)).status, 200);
  assert.equal((await server.call('session.login', account)).body.role, 'admin');
  const again = await claim(server, token);
  assert.deepEqual([again.status, again.body.error.code], [409, 'conflict']);
  assert.match((await server.send('GET', '/setup')).text, /This link is used up/);
  assert.equal(await server.setupLink(), undefined);
});

test('whoever makes the first account is signed in with it', async (t) => {
  const server = await runServer(t);
  const { status, headers, body } = await claim(server, await tokenOf(server));
  assert.equal(status, 200);
  assert.equal(body.token, undefined, 'only the cookie has it');
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  assert.match(headers.get('set-cookie') ?? '', /HttpOnly/);
  const { body: who } = await server.call('session.show', {}, { cookie });
  assert.deepEqual([who.name, who.by], [account.name, 'session']);
});

test('of two people who use the link at the same moment, one becomes administrator', async (t) => {
  const server = await runServer(t);
  const token = await tokenOf(server);
  const answers = await Promise.all(
    ['anna', 'bert'].map((name) => server.call('setup.claim', { token, name, password: 'correct horse' })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
});

test('a link is worth nothing once a newer one was printed, or after a day', async (t) => {
  const clock = new ManualClock();
  const server = await runServer(t, { clock });
  const [old, token] = [await tokenOf(server), await tokenOf(server)];
  const refused = async (value: string) => (await claim(server, value)).body.error?.code;
  assert.equal(await refused(old), 'forbidden');
  assert.equal(await refused('guess'), 'forbidden');
  clock.advance(24 * 3_600_000);
  assert.equal(await refused(token), 'forbidden');
  assert.equal((await claim(server, await tokenOf(server))).status, 200);
});

test('the token is neither stored nor logged, and the page tells it to nobody', async (t) => {
  const server = await runServer(t);
  const token = await tokenOf(server);
  await claim(server, token);
  const { database } = server.engine;
  const secrets = await database.query.selectFrom('secret').selectAll().execute();
  const audit = await database.query.selectFrom('audit').selectAll().execute();
  assert.equal(audit.length, 1);
  assert.ok(!JSON.stringify([secrets, audit]).includes(token));
  assert.ok(!JSON.stringify(audit).includes(account.password));
});
