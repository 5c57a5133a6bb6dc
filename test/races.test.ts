import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Answer,
  passwordOf,
  type RunningServer,
  runServer,
} from '../src/server/testing/running-server.ts';

const atOnce = 12;
const most = 3;

/** What calls at the same moment answered. */
async function together(call: (number: number) => Promise<Answer>, count = atOnce) {
  const answers = await Promise.all(Array.from({ length: count }, (_, number) => call(number)));
  const of = (wanted: number) => answers.filter(({ status }) => status === wanted);
  return { answers, passed: of(200), of };
}

async function runLimited(t: Parameters<typeof runServer>[0]) {
  const server = await runServer(t, {
    upload: { open: most, unusedMb: most },
    settings: {
      limits: { pipelines: most, outputQueues: most, openRequests: most },
      access: { keysPerUser: most },
      transcription: { documents: most },
      robot: { crawls: most },
      mail: { mailsPerMonth: most },
      statistics: { eventsPerMonth: most },
    },
  });
  const admin = await server.signUp('root', 'admin');
  for (const name of ['ocr', 'forms'])
    await server.engine.stages.create({ name, processor: 'dummy' }, 'test');
  const pipeline = { name: 'transcription', stages: ['ocr', 'forms'] };
  assert.equal((await server.call('pipeline.create', pipeline, admin)).status, 200);
  const type = { code: 'order', sender: 'shop@example.org', subject: 'Order', template: '<p>Thanks</p>' };
  assert.equal((await server.call('mailtype.create', type, admin)).status, 200);
  return { server, admin };
}

/** What a user may have three of. Each call is different from the others. */
const limited: Record<
  string,
  (server: RunningServer, user: { key: string }, number: number) => Promise<Answer>
> = {
  documents: (server, user, n) => server.call('document.create', { name: `${n}` }, user),
  pipelines: (server, user, n) =>
    server.call('pipeline.create', { name: `p${n}`, stages: ['ocr', 'forms'] }, user),
  'output queues': (server, user, n) =>
    server.call('request.submit', { stages: ['ocr', `out${n}`], files: [] }, user),
  'open requests': (server, user) =>
    server.call('request.submit', { stages: ['ocr', 'forms'], files: [] }, user),
  'uploads in parts': (server, user) => server.call('upload.create', {}, user),
  'unused uploads': (server, user, n) =>
    server.send('POST', '/api/v1/blobs', {
      ...user,
      body: `${n}`,
      headers: { 'content-type': 'text/plain' },
    }),
  crawls: (server, user, n) =>
    server.call('robot.new', { name: `${n}`, seeds: ['http://example.org/'], contact: 'http://a.cz/' }, user),
  mails: (server, user) => server.call('mail.send', { type: 'order', to: 'bert@example.org' }, user),
  events: (server, user, n) => server.call('statistics.ingest', visit(n, `batch ${n}`, 'events'), user),
};

const at = new Date().toISOString();
const visit = (n: number, token: string, user: string) => {
  const counted = {
    id: `e${n}`,
    kind: 'keyword',
    entity: 17,
    user,
    split: 'context',
    clicks: 1,
    cost: 1,
  };
  return { token, events: [{ ...counted, at }] };
};

test('of many calls at the same moment, a quota lets only so many pass', async (t) => {
  const { server, admin } = await runLimited(t);
  for (const [what, call] of Object.entries(limited)) {
    const user = await server.signUp(what.replaceAll(' ', '-'), 'user');
    const { passed, of } = await together((number) => call(server, user, number));
    assert.deepEqual([passed.length, of(429).length], [most, atOnce - most], what);
    assert.match(of(429)[0]?.text ?? '', /"quota-exceeded"/, what);
  }
  const user = await server.signUp('keys', 'user');
  const { passed } = await together((number) => server.call('key.create', { name: `${number}` }, user));
  assert.equal(passed.length, most - 1);

  const { queues } = (await server.call('queue.ls', {}, admin)).body as { queues: { name: string }[] };
  const left = queues.filter(({ name }) => name.startsWith('output-queues/'));
  assert.equal(left.length, most, 'refused calls leave no queues behind');
});

test('calls at the same moment with one name, key or token have one effect', async (t) => {
  const { server, admin } = await runLimited(t);
  const anna = await server.signUp('anna', 'user');
  const mail = { type: 'order', to: 'bert@example.org', key: 'order 7' };
  const mails = await together(() => server.call('mail.send', mail, anna));
  assert.equal(mails.passed.length, atOnce);
  assert.equal(new Set(mails.passed.map(({ body }) => body.id)).size, 1);
  assert.equal(mails.passed.filter(({ body }) => body.isNew).length, 1);

  const batches = await together(() => server.call('statistics.ingest', visit(1, 'one batch', 'anna'), anna));
  assert.equal(batches.passed.length, atOnce, batches.answers.find(({ status }) => status !== 200)?.text);
  assert.equal(batches.passed.filter(({ body }) => !body.duplicate).length, 1);

  const account = { name: 'dora', password: passwordOf('dora'), role: 'user' };
  const users = await together(() => server.call('user.create', account, admin));
  assert.deepEqual([users.passed.length, users.of(409).length], [1, atOnce - 1]);

  const { upload } = (await server.call('upload.create', {}, anna)).body;
  const headers = { 'content-type': 'application/octet-stream' };
  const path = `/api/v1/uploads/${upload}/0`;
  const parts = await together((n) => server.send('PUT', path, { ...anna, headers, body: `part ${n}` }));
  assert.deepEqual([parts.passed.length, parts.of(409).length], [1, atOnce - 1]);
  const ends = await together(() => server.call('upload.finish', { upload }, anna));
  assert.equal(new Set(ends.passed.map(({ body }) => body.hash)).size, 1);
  assert.deepEqual(
    ends.answers.filter(({ status }) => status >= 500 && status !== 503),
    [],
  );
});
