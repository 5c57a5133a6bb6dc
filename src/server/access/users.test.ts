import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePipeline } from '../testing/owned-things.ts';
import { type As, passwordOf, runServer } from '../testing/running-server.ts';

test('an administrator creates users, and they can sign in', async (t) => {
  const server = await runServer(t);
  const admin = await server.signUp('root', 'admin');
  const made = await server.call('user.create', { name: 'anna', password: 'correct horse' }, admin);
  assert.deepEqual([made.status, made.body], [200, { name: 'anna', role: 'user' }]);
  assert.equal((await server.call('session.login', { name: 'anna', password: 'correct horse' })).status, 200);
  const again = await server.call('user.create', { name: 'anna', password: 'correct horse' }, admin);
  assert.deepEqual([again.status, again.body.error.code], [409, 'already-exists']);
  const { body, text } = await server.call('user.ls', {}, admin);
  assert.deepEqual(
    body.users.map(({ name, role, disabled }: Record<string, unknown>) => [name, role, disabled]),
    [
      ['anna', 'user', false],
      ['root', 'admin', false],
    ],
  );
  assert.doesNotMatch(text, /scrypt/);
});

test('an administrator who has not seen what a colleague changed of a user is told, in a sentence that programs can say too', async (t) => {
  const server = await runServer(t);
  const root = await server.signUp('root', 'admin');
  const second = await server.signUp('second', 'admin');
  await server.signUp('anna', 'user');
  const { body } = await server.call('user.role', { name: 'anna', role: 'reader', base: 1 }, second);
  assert.equal(body.version, 2);
  const late = await server.call('user.set', { name: 'anna', priority: 'yes', base: 1 }, root);
  assert.equal(late.status, 409);
  const { details, sentence } = late.body.error;
  assert.deepEqual([details.version, details.changedBy], [2, 'second']);
  assert.deepEqual(sentence, {
    code: 'changed-since',
    parameters: { thing: 'user anna', base: 1, version: 2, changedBy: 'second' },
  });
  const { users } = (await server.call('user.ls', {}, root)).body;
  const anna = users.find(({ name }: { name: string }) => name === 'anna');
  assert.deepEqual([anna.role, anna.mayPrioritise, anna.version], ['reader', false, 2]);
});

test('names that could be mistaken for others, and short passwords, are refused', async (t) => {
  const server = await runServer(t);
  const admin = await server.signUp('root', 'admin');
  for (const name of [
    'local',
    'system',
    'Anna',
    'an na',
    '',
    '-anna',
    'аnna',
    'anna\u200b',
    'a/b',
    '../x',
    'x'.repeat(65),
  ]) {
    const { body } = await server.call('user.create', { name, password: 'correct horse' }, admin);
    assert.equal(body.error?.code, 'invalid-input', name);
  }
  const { body } = await server.call('user.create', { name: 'anna', password: '123456789' }, admin);
  assert.match(body.error.message, /password: a password has at least 10 characters/);
});

test('the last enabled administrator stays one', async (t) => {
  const server = await runServer(t);
  const root = await server.signUp('root', 'admin');
  await server.signUp('second', 'admin');
  await server.call('user.disable', { name: 'second' }, root);
  for (const [operation, input] of [
    ['user.delete', {}],
    ['user.disable', {}],
    ['user.role', { role: 'user' }],
  ] as const) {
    const { body } = await server.call(operation, { name: 'root', ...input }, root);
    assert.equal(body.error?.code, 'conflict', operation);
  }
  assert.equal((await server.call('user.ls', {}, root)).status, 200);
  await server.call('user.enable', { name: 'second' }, root);
  assert.equal((await server.call('user.delete', { name: 'root' }, root)).status, 200);
});

test('of two administrators who disable each other at the same moment, one stays enabled', async (t) => {
  const server = await runServer(t);
  const [one, two] = [await server.signUp('one', 'admin'), await server.signUp('two', 'admin')];
  await Promise.all([
    server.call('user.disable', { name: 'two' }, one),
    server.call('user.disable', { name: 'one' }, two),
  ]);
  const { body } = await server.call('user.ls', {}, { key: server.localToken });
  assert.equal(body.users.filter(({ disabled }: { disabled: boolean }) => !disabled).length, 1);
});

test('an administrator can reset a forgotten password, and the error names a missing user', async (t) => {
  const server = await runServer(t);
  const [admin] = [await server.signUp('root', 'admin'), await server.signUp('anna', 'user')];
  assert.equal(
    (await server.call('user.password', { name: 'anna', password: 'brand new one' }, admin)).status,
    200,
  );
  assert.equal((await server.call('session.login', { name: 'anna', password: 'brand new one' })).status, 200);
  for (const operation of ['user.delete', 'user.disable', 'user.enable']) {
    const { status, body } = await server.call(operation, { name: 'nobody-here' }, admin);
    assert.deepEqual([status, body.error.code], [404, 'not-found']);
    assert.match(body.error.message, /there is no user nobody-here/);
  }
});

test('the audit log is read page by page, newest first, by user with all their keys', async (t) => {
  const server = await runServer(t);
  const admin = await server.signUp('root', 'admin');
  await server.signUp('root2', 'admin');
  for (const name of ['one', 'two', 'three']) {
    await server.call('user.create', { name, password: `password of ${name}` }, admin);
  }
  const first = await server.call('audit.ls', { operation: 'user.create', actor: 'root', limit: 2 }, admin);
  const names = (answer: typeof first) =>
    answer.body.entries.map((entry: { input: { name: string } }) => entry.input.name);
  assert.deepEqual(names(first), ['three', 'two']);
  assert.match(first.body.entries[0].actor, /^root \(key:/);
  const second = await server.call(
    'audit.ls',
    { operation: 'user.create', limit: 2, before: first.body.next },
    admin,
  );
  assert.deepEqual([names(second), second.body.next], [['one'], null]);
  assert.doesNotMatch(first.text, /password of/);
  assert.deepEqual((await server.call('audit.ls', { actor: 'root2' }, admin)).body.entries, []);
});

test('what a deleted user owned never falls to another of that name, unless an administrator says so', async (t) => {
  const server = await runServer(t);
  const root = await server.signUp('root', 'admin');
  const anna = await server.signUp('anna', 'user');
  await makePipeline(server, anna, '-anna');
  await server.call('secret.create', {}, anna);
  assert.equal((await server.call('user.delete', { name: 'anna' }, root)).status, 200);
  const namesake = { name: 'anna', password: 'somebody else', role: 'user' };
  const refused = await server.call('user.create', namesake, root);
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict']);
  assert.match(refused.body.error.message, /deleted.*choose another name/);
  assert.match((await server.call('queue.ls', {}, root)).text, /output-anna/, 'her things are still there');

  const given = await server.call('user.create', { ...namesake, takeOver: true }, root);
  assert.equal(given.status, 200, given.text);
  const { key } = (await server.call('key.create', { name: 'k', owner: 'anna' }, root)).body;
  assert.match((await server.call('queue.ls', {}, { key })).text, /output-anna/);
  assert.deepEqual(
    (await server.call('secret.ls', {}, { key })).body.secrets,
    [],
    'secrets are not inherited',
  );
  assert.equal((await server.call('user.delete', { name: 'anna' }, root)).status, 200);
  assert.equal((await server.call('user.create', namesake, root)).status, 409, 'it is retired again');
});

test('priority is a right that an administrator gives and takes away; sessions and keys follow at once', async (t) => {
  const server = await runServer(t);
  await server.engine.stages.create({ name: 'ocr', processor: 'dummy' }, 'test');
  const root = await server.signUp('root', 'admin');
  const anna = await server.signUp('anna', 'user');
  const login = await server.call('session.login', { name: 'anna', password: passwordOf('anna') });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const submit = async (as: As) => {
    const input = { stages: ['ocr', 'out'], files: [], priority: 1 };
    return (await server.call('request.submit', input, as)).status;
  };
  const set = (priority: string) => server.call('user.set', { name: 'anna', priority }, root);
  const headers = { origin: server.localUrl };
  const both = async () => [await submit(anna), await submit({ cookie, headers })];
  assert.deepEqual(await both(), [403, 403]);
  assert.equal((await server.call('user.set', { name: 'anna', priority: 'yes' }, anna)).status, 403);
  assert.equal((await set('yes')).status, 200);
  assert.deepEqual(await both(), [200, 200]);
  const { users } = (await server.call('user.ls', {}, root)).body;
  assert.deepEqual(
    users.map(({ name, mayPrioritise }: { name: string; mayPrioritise: boolean }) => [name, mayPrioritise]),
    [
      ['anna', true],
      ['root', false],
    ],
  );
  await set('no');
  assert.deepEqual(await both(), [403, 403]);
  assert.equal(await submit(root), 200);
});
