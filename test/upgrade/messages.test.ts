import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { z } from 'zod';
import { dummyProcessor } from '../../src/engine/processor/dummy.ts';
import { decodeRequest, encodeRequest, type Request, toMessage } from '../../src/engine/request/request.ts';
import { settingsSchema } from '../../src/engine/settings/settings.ts';
import { openEmbedded } from '../../src/engine/testing/embedded.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { Worker } from '../../src/engine/worker/worker.ts';
import { addNewerFields, newerFieldsOf } from './newer-fields.ts';

const waitMs = 60_000;
const fixture = z.object({ id: z.string(), lane: z.enum(['high', 'normal']), body: z.base64() });
const file = join(import.meta.dirname, 'fixtures', 'requests-0.1.0.json');
const { messages } = z
  .object({ messages: z.record(z.string(), fixture) })
  .parse(JSON.parse(await readFile(file, 'utf8')));
const bodies = new Map(
  Object.entries(messages).map(([name, { body }]) => [name, new Uint8Array(Buffer.from(body, 'base64'))]),
);

function previous(name: string): Request {
  const body = bodies.get(name);
  if (!body) throw new Error(`there is no fixture ${name}`);
  return decodeRequest(body);
}

/** Shared stages of this version, with a worker that serves them all. */
async function open(t: TestContext) {
  const embedded = await openEmbedded(t);
  const module = new URL('../../src/engine/testing/misbehaving-processor.ts', import.meta.url);
  embedded.processors.register(dummyProcessor(embedded.clock));
  embedded.processors.register({ name: 'misbehaving', summary: 'for tests', module });
  const dummy = { processor: 'dummy', config: 'TIME_SCALE = 0', mode: 'shared' } as const;
  for (const name of ['first', 'second']) await embedded.stages.create({ ...dummy, name }, 'test');
  await embedded.stages.create({ name: 'own-process', processor: 'misbehaving', mode: 'shared' }, 'test');
  await embedded.broker.declare('out');
  const parts = {
    ...embedded,
    settings: settingsSchema.parse({ worker: { heartbeatMs: 100 } }),
    blobsUrl: `directory:${join(embedded.directory, 'blobs')}`,
    cacheDirectory: join(embedded.directory, 'cache'),
  };
  const worker = new Worker(parts, { id: 'this-version', labels: [] });
  await worker.start();
  t.after(() => worker.close());
  return embedded;
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Sends a request on its way and gives what comes out. */
async function pass({ broker }: Opened, request: Request): Promise<Request> {
  await broker.publish(request.processingStages[0] ?? '', toMessage(request));
  const [message] = await eventually(
    `${request.uuid} comes out`,
    async () => {
      const found = await broker.peek('out');
      return found.length > 0 && found;
    },
    waitMs,
  );
  assert.ok(message);
  await broker.purge('out');
  return decodeRequest(message.body);
}

test('messages of the previous version are read to the last byte, and found again under their ids', () => {
  for (const [name, { id, lane, body }] of Object.entries(messages)) {
    const request = previous(name);
    assert.deepEqual(newerFieldsOf(request), {});
    assert.equal(request.$unknown, undefined, `${name}: every field is known`);
    const again = toMessage(request);
    assert.deepEqual({ id: again.id, lane: again.lane }, { id, lane });
    assert.equal(Buffer.from(again.body).toString('base64'), body);
  }
});

test('messages of the previous version are processed, and come out with all that they had', async (t) => {
  const opened = await open(t);
  const scan = Buffer.alloc(70_000, 'scan');
  await opened.blobs.put(scan);
  for (const name of ['plain', 'high', 'half-way', 'reference', 'foreign']) {
    const before = previous(name);
    const after = await pass(opened, previous(name));
    assert.equal(after.logs.at(-1)?.status, 'OK', name);
    assert.deepEqual(after.processingStages, ['out']);
    assert.deepEqual(after.results, before.results, `${name}: files as they were`);
    assert.deepEqual(after.logs.slice(0, before.logs.length), before.logs);
    const { owner, pipeline, priority, startTime, acceptsReferences } = before;
    assert.deepEqual(
      { owner, pipeline, priority, startTime, acceptsReferences },
      {
        owner: after.owner,
        pipeline: after.pipeline,
        priority: after.priority,
        startTime: after.startTime,
        acceptsReferences: after.acceptsReferences,
      },
    );
  }
});

test('what a later version adds to request, files and logs is kept on every way that a request can go', async (t) => {
  const opened = await open(t);
  await opened.blobs.put(Buffer.alloc(70_000, 'scan'));
  const order = (text: string) => ({ name: 'order', content: Buffer.from(text) });
  const ways: Record<
    string,
    { fixture: string; change?: (request: Request) => void; status: 'OK' | 'Failed' }
  > = {
    'through two stages': { fixture: 'plain', status: 'OK' },
    'with a log of before': { fixture: 'half-way', status: 'OK' },
    'with a reference': { fixture: 'reference', status: 'OK' },
    'large, inline, for a producer that knows no references': { fixture: 'foreign', status: 'OK' },
    'large, inline, and stored as a reference on the way': {
      fixture: 'foreign',
      change: (request) => {
        request.acceptsReferences = true;
      },
      status: 'OK',
    },
    'a reference, for a producer that knows none': {
      fixture: 'reference',
      change: (request) => {
        request.acceptsReferences = false;
      },
      status: 'OK',
    },
    'through a process of its own': {
      fixture: 'half-way',
      change: (request) => {
        request.processingStages = ['own-process', 'out'];
      },
      status: 'OK',
    },
    'to the output queue, because it failed': {
      fixture: 'half-way',
      change: (request) => {
        request.processingStages = ['own-process', 'second', 'out'];
        Object.assign(request.results[0] ?? {}, order('give up'));
      },
      status: 'Failed',
    },
    'to the output queue, because the next stage does not exist': {
      fixture: 'half-way',
      change: (request) => {
        request.processingStages = ['first', 'nowhere', 'out'];
      },
      status: 'Failed',
    },
    'large, to the output queue of a producer that knows no references, because the next stage does not exist':
      {
        fixture: 'foreign',
        change: (request) => {
          request.processingStages = ['first', 'nowhere', 'out'];
        },
        status: 'Failed',
      },
  };
  for (const [way, { fixture, change, status }] of Object.entries(ways)) {
    const request = previous(fixture);
    change?.(request);
    const sent = encodeRequest(addNewerFields(request));
    const expected = newerFieldsOf(decodeRequest(sent));
    assert.equal(Object.keys(expected).length, 1 + request.results.length + request.logs.length);
    const after = await pass(opened, decodeRequest(sent));
    assert.equal(after.logs.at(-1)?.status, status, way);
    assert.deepEqual(newerFieldsOf(after), expected, way);
    const references = after.results.filter(({ blob }) => blob !== '');
    assert.ok(after.acceptsReferences || references.length === 0, `${way}: no references`);
  }
});

test('a dead letter keeps every byte that a later version has sent', async (t) => {
  const { broker } = await open(t);
  const request = addNewerFields(previous('half-way'));
  request.processingStages = ['first', 'nowhere'];
  const message = toMessage(request);
  await broker.publish('first', message);
  const [dead] = await eventually(
    'it is a dead letter',
    async () => {
      const found = await broker.dead('first');
      return found.length > 0 && found;
    },
    waitMs,
  );
  assert.deepEqual(Buffer.from(dead?.body ?? []), Buffer.from(message.body));
});
