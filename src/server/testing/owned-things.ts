import assert from 'node:assert/strict';
import { recordFailure } from '../../engine/request/failed-requests.ts';
import { newRequest, newStageLog, toMessage } from '../../engine/request/request.ts';
import { HistoryRecorder } from '../../engine/sample/history-recorder.ts';
import type { Answer, RunningServer } from './running-server.ts';
import { passwordOf } from './running-server.ts';

export interface OwnedThing {
  /** Names the thing in a call of the operation. */
  input: object;
  /** What a call by another user must (not) answer, beyond `not-found` where the declaration says so. */
  foreign?: (answer: Answer) => void;
  own?: (answer: Answer) => void | Promise<void>;
}

export type MakeOwnedThing = (
  server: RunningServer,
  owner: { name: string; key: string },
  tag: string,
) => Promise<OwnedThing>;

/** How to make a thing for each operation whose things have an owner. */
export const ownedThings: Record<string, MakeOwnedThing> = {
  'pipeline.delete': async (server, owner, tag) => {
    await makePipeline(server, owner, tag);
    return { input: { name: `${owner.name}/pipeline${tag}` } };
  },
  'pipeline.set': async (server, owner, tag) => {
    await makePipeline(server, owner, tag);
    const stages = [`stage${tag}`, `output${tag}`];
    return { input: { name: `${owner.name}/pipeline${tag}`, stages } };
  },
  'pipeline.create': async (server, owner, tag) => {
    await makePipeline(server, owner, tag);
    const stages = [`stage${tag}`, `${owner.name}/output${tag}`];
    return { input: { name: `another${tag}`, stages }, foreign: refused };
  },
  'request.submit': async (server, owner, tag) => {
    await makePipeline(server, owner, tag);
    return { input: { stages: [`stage${tag}`, `${owner.name}/output${tag}`], files: [] }, foreign: refused };
  },
  'request.cancel': async (server, owner, tag) => {
    await makePipeline(server, owner, tag);
    const { body } = await server.call('request.submit', { pipeline: `pipeline${tag}`, files: [] }, owner);
    return { input: { uuid: body.uuid } };
  },
  'queue.delete': async (server, owner, tag) => {
    await makePipeline(server, owner, tag);
    return { input: { queue: `${owner.name}/output${tag}`, force: true } };
  },
  'results.take': async (server, owner, tag) => {
    await makePipeline(server, owner, tag);
    return { input: { queue: `${owner.name}/output${tag}` } };
  },
  'results.confirm': async (server, owner, tag) => {
    const receipt = await takeResult(server, owner, tag);
    return {
      input: { receipts: [receipt] },
      foreign: ({ body }) => assert.deepEqual(body, { confirmed: [], unknown: [receipt] }),
      own: ({ body }) => assert.deepEqual(body, { confirmed: [receipt], unknown: [] }),
    };
  },
  'results.release': async (server, owner, tag) => {
    const receipt = await takeResult(server, owner, tag);
    return {
      input: { receipts: [receipt] },
      foreign: ({ body }) => assert.deepEqual(body, { released: [], unknown: [receipt] }),
      own: ({ body }) => assert.deepEqual(body, { released: [receipt], unknown: [] }),
    };
  },
  'queue.ls': async (server, owner, tag) => {
    await makePipeline(server, owner, tag);
    return { input: {}, ...seenOnlyByOwner(`output${tag}`) };
  },
  'status.show': async (server, owner, tag) => {
    await makePipeline(server, owner, tag);
    return { input: {}, ...seenOnlyByOwner(`output${tag}`) };
  },
  'history.ls': async (server, owner, tag) => {
    await recordSeries(server, owner, tag);
    return { input: {}, ...seenOnlyByOwner(`output${tag}`) };
  },
  'history.show': async (server, owner, tag) => {
    await recordSeries(server, owner, tag);
    return { input: { series: ['queue.*'] }, ...seenOnlyByOwner(`output${tag}`) };
  },
  'event.ls': async ({ engine }, { name }, tag) => {
    engine.events.emit({ kind: 'something', entity: `private${tag}`, user: name, at: engine.clock.now() });
    return { input: {}, ...seenOnlyByOwner(`private${tag}`) };
  },
  'alert.ls': async ({ engine }, { name }, tag) => {
    await engine.alerts.raise('account.attacked', name, `private${tag}`);
    return { input: {}, ...seenOnlyByOwner(`private${tag}`) };
  },

  'upload.create': async () => ({ input: {} }),
  'upload.ls': async (server, owner) => {
    const { input } = await anyUpload(server, owner);
    return { input: {}, ...seenOnlyByOwner(input.upload) };
  },
  'upload.show': anyUpload,
  'upload.delete': anyUpload,
  'upload.finish': anyUpload,

  'key.ls': async (server, owner, tag) => {
    await server.call('key.create', { name: `key${tag}` }, owner);
    return { input: {}, ...seenOnlyByOwner(`key${tag}`) };
  },
  'key.create': async (_server, owner) => ({ input: { name: 'mine', owner: owner.name }, foreign: refused }),
  'key.revoke': async (server, owner) => {
    const { body } = await server.call('key.create', { name: 'to be revoked' }, owner);
    return { input: { id: body.id } };
  },
  'secret.ls': async (server, owner) => {
    const { body } = await server.call('secret.create', {}, owner);
    return { input: {}, ...seenOnlyByOwner(body.id) };
  },
  'secret.create': async (_server, { name }) => ({ input: { owner: name } }),
  'secret.rotate': aSecret,
  'secret.delete': aSecret,
  'user.password': async (_server, { name }) => ({
    input: { name, current: passwordOf(name), password: 'a new password' },
  }),
  'view.ls': async (server, owner, tag) => {
    await saveView(server, owner, tag);
    return { input: {}, ...seenOnlyByOwner(`view${tag}`) };
  },
  'view.set': async (_server, _owner, tag) => ({
    input: { page: 'documents', name: `new${tag}`, address: '/console/engine/queues' },
    // Each user has views of their own.
    foreign: ({ status }) => assert.equal(status, 200),
  }),
  'view.delete': async (server, owner, tag) => {
    await saveView(server, owner, tag);
    return {
      input: { page: 'documents', name: `view${tag}` },
      foreign: ({ status }) => assert.equal(status, 404),
    };
  },
  'request.failed': async (server, { name }, tag) => {
    await failRequest(server, name, `failed${tag}`);
    return { input: {}, ...seenOnlyByOwner(`failed${tag}`) };
  },
  'request.show': async (server, { name }, tag) => {
    await failRequest(server, name, `failed${tag}`);
    return { input: { uuid: `failed${tag}` } };
  },
  'session.ls': async (server, { name }) => {
    await server.call('session.login', { name, password: passwordOf(name) });
    return { input: {}, ...seenOnlyByOwner(name) };
  },
  'session.end': async (server, { name }) => {
    await server.call('session.login', { name, password: passwordOf(name) });
    const { body } = await server.call('session.ls', { user: name }, { key: server.localToken });
    return { input: { id: body.sessions[0].id } };
  },
  'session.show': async (_server, owner) => ({ input: {}, ...seenOnlyByOwner(owner.name) }),
  'session.logout': async (server, { name }) => {
    const login = await server.call('session.login', { name, password: passwordOf(name) });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    // When another user signs out, this session goes on.
    return {
      input: {},
      own: async () => assert.equal((await server.call('session.show', {}, { cookie })).status, 200),
    };
  },
};

export function seenOnlyByOwner(text: string): Pick<OwnedThing, 'foreign' | 'own'> {
  return {
    foreign: (answer) => assert.ok(!answer.text.includes(text), answer.text),
    own: (answer) => assert.ok(answer.text.includes(text), answer.text),
  };
}

function refused({ status, body }: Answer): void {
  assert.ok(status === 403 || status === 404, `${status} ${JSON.stringify(body)}`);
}

export async function makePipeline(
  server: RunningServer,
  { key }: { key: string },
  tag: string,
): Promise<void> {
  await server.engine.stages.create({ name: `stage${tag}`, processor: 'dummy' }, 'test');
  const input = { name: `pipeline${tag}`, stages: [`stage${tag}`, `output${tag}`] };
  assert.equal((await server.call('pipeline.create', input, { key })).status, 200);
}

async function takeResult(
  server: RunningServer,
  owner: { name: string; key: string },
  tag: string,
): Promise<string> {
  await makePipeline(server, owner, tag);
  const uuid = crypto.randomUUID();
  const queue = `${owner.name}/output${tag}`;
  const request = newRequest({ uuid, stages: [queue], files: [], startedAt: 0 });
  await server.engine.broker.publish(queue, toMessage(request));
  const { body } = await server.call('results.take', { queue, waitMs: 10_000 }, owner);
  return body.results[0].receipt;
}

async function aSecret(server: RunningServer, owner: { name: string; key: string }) {
  await server.call('secret.create', {}, owner);
  return { input: { owner: owner.name } };
}

async function anyUpload(server: RunningServer, owner: { key: string }) {
  const upload: string = (await server.call('upload.create', {}, owner)).body.upload;
  await server.send('PUT', `/api/v1/uploads/${upload}/0`, { ...owner, body: Buffer.from('part') });
  return { input: { upload } };
}

async function recordSeries({ engine }: RunningServer, { name }: { name: string }, tag: string) {
  const at = engine.clock.now() - 120_000;
  const recorder = new HistoryRecorder(engine);
  recorder.addLook(at, [{ name: `queue.length/output${tag}`, kind: 'level', value: 1, owner: name }]);
  await recorder.write(engine.clock.now());
}

async function saveView(
  server: RunningServer,
  owner: { name: string; key: string },
  tag: string,
): Promise<void> {
  const view = { page: 'documents', name: `view${tag}`, address: '/console/engine/queues' };
  assert.equal((await server.call('view.set', view, owner)).status, 200);
}

async function failRequest({ engine }: RunningServer, owner: string, uuid: string): Promise<void> {
  const request = newRequest({ uuid, stages: ['read', 'output'], files: [], startedAt: 0, owner });
  const failedAt = engine.clock.now();
  const report = { hostId: 'w', stage: 'read', version: 1, attempt: 1, startedAt: 0, endedAt: failedAt };
  request.logs.push(newStageLog({ ...report, status: 'Failed', log: 'it is torn' }));
  const left = { outcome: 'output', queue: 'output', message: uuid, stages: ['read', 'output'] } as const;
  await recordFailure(engine, request, left);
}
