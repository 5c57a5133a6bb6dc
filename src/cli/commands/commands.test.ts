import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import { pipelineRow } from '../../engine/operation/operations/rows.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { type Answers, fakeClient, runCommand } from '../testing/run-command.ts';
import { sampleOf } from '../testing/sample-of.ts';

/** What is typed, the one call that it makes, and what comes back. */
const mapped: [typed: string, operation: string, input: object, answer?: unknown][] = [
  ['pipeline show pages', 'pipeline.show', { name: 'pages' }],
  ['pipeline create pages a b out', 'pipeline.create', { name: 'pages', stages: ['a', 'b', 'out'] }],
  ['pipeline delete pages', 'pipeline.delete', { name: 'pages' }],
  ['stage create s --processor dummy', 'stage.create', { name: 's', processor: 'dummy' }],
  [
    'stage configure s --stage-config X --labels a,b --attempts 5 --max-length none --mode shared --priority -1',
    'stage.configure',
    {
      name: 's',
      config: 'X',
      labels: ['a', 'b'],
      retry: { attempts: 5 },
      maxLength: null,
      mode: 'shared',
      priority: -1,
    },
  ],
  ['upload ls', 'upload.ls', {}, { uploads: [] }],
  ['upload delete u1', 'upload.delete', { upload: 'u1' }],
  ['stage priority s -1', 'stage.priority', { name: 's', priority: -1 }],
  ['stage configure s --no-foreign-priority', 'stage.configure', { name: 's', foreignPriority: false }],
  ['stage delete s', 'stage.delete', { name: 's' }],
  ['stage delete s --force', 'stage.delete', { name: 's', force: true }],
  ['stage history s', 'stage.history', { name: 's' }, { versions: [] }],
  ['stage processors', 'stage.processors', {}, { processors: [] }],
  ['queue peek q --limit 3 --offset 2', 'queue.peek', { queue: 'q', limit: 3, offset: 2 }, { messages: [] }],
  ['queue dead q', 'queue.dead', { queue: 'q' }, { messages: [] }],
  ['queue pause q', 'queue.pause', { queue: 'q' }],
  ['queue resume q', 'queue.resume', { queue: 'q' }],
  ['queue purge q --yes', 'queue.purge', { queue: 'q' }, { count: 1 }],
  ['queue redrive q', 'queue.redrive', { queue: 'q' }, { count: 1 }],
  ['queue redrive q one two', 'queue.redrive', { queue: 'q', ids: ['one', 'two'] }, { count: 2 }],
  ['queue discard q one', 'queue.discard', { queue: 'q', ids: ['one'] }, { count: 1 }],
  ['worker switch w s', 'worker.switch', { id: 'w', stage: 's' }],
  ['worker switch w none', 'worker.switch', { id: 'w', stage: null }],
  ['worker pin w', 'worker.pin', { id: 'w', pinned: true }],
  ['worker pin w read', 'worker.pin', { id: 'w', stage: 'read', pinned: true }],
  ['worker unpin w', 'worker.pin', { id: 'w', pinned: false }],
  ['worker enable w', 'worker.enable', { id: 'w' }],
  ['worker disable w', 'worker.disable', { id: 'w' }],
  ['worker forget w', 'worker.forget', { id: 'w' }],
  ['alert ls --all', 'alert.ls', { all: true }, { alerts: [] }],
  ['event ls --kind k --limit 5', 'event.ls', { kind: 'k', limit: 5 }, { events: [] }],
  ['audit ls --actor anna', 'audit.ls', { actor: 'anna' }, { entries: [] }],
  ['coordination ls', 'coordination.ls', {}, { nodes: [] }],
  ['coordination ls /a', 'coordination.ls', { path: '/a' }, { nodes: [] }],
  ['coordination get /a', 'coordination.get', { path: '/a' }, { value: 'x' }],
  ['coordination set /a x --if-version 3', 'coordination.set', { path: '/a', value: 'x', version: 3 }],
  ['server set broker sqlite:', 'server.set', { name: 'broker', url: 'sqlite:' }],
  ['user role anna admin', 'user.role', { name: 'anna', role: 'admin' }],
  ['user set anna --priority yes', 'user.set', { name: 'anna', priority: 'yes' }],
  ['queue delete done --force', 'queue.delete', { queue: 'done', force: true }],
  ['request cancel u-1', 'request.cancel', { uuid: 'u-1' }],
  ['user disable anna', 'user.disable', { name: 'anna' }],
  ['key revoke k', 'key.revoke', { id: 'k' }],
  [
    'key create k --owner anna --scopes results.,queue.ls',
    'key.create',
    { name: 'k', owner: 'anna', scopes: ['results.', 'queue.ls'] },
    { id: 'i', key: 'pk_x', role: 'user', scopes: [] },
  ],
  ['schedule run s --parameters {"a":1}', 'schedule.run', { name: 's', parameters: { a: 1 } }],
  ['schedule history s --limit 2', 'schedule.history', { name: 's', limit: 2 }, { runs: [] }],
  ['schedule disable s', 'schedule.disable', { name: 's' }],
  [
    'schedule create s --after t --task blobs.sweep --parameters {"days":2}',
    'schedule.create',
    {
      name: 's',
      definition: {
        when: { kind: 'after', schedule: 't' },
        action: { kind: 'task', task: 'blobs.sweep', parameters: { days: 2 } },
      },
    },
  ],
  ['backup b.tar', 'backup.create', { name: 'b.tar' }],
];

for (const [typed, operation, input, answer] of mapped) {
  test(`pismak ${typed} calls ${operation}`, async () => {
    const client = fakeClient({ [operation]: answer });
    const { code, stderr } = await runCommand(typed.split(' '), { client });
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.deepEqual(client.calls, [{ name: operation, input }]);
  });
}

test('files of a new stage are uploaded first', async (context) => {
  const model = join(await temporaryDirectory(context), 'model.bin');
  await writeFile(model, 'weights');
  const client = fakeClient(
    {},
    { upload: async (content) => ({ hash: await textOf(Readable.from(content)), size: 7 }) },
  );
  await runCommand(['stage', 'create', 's', '--processor', 'dummy', '--file', model], { client });
  const [created] = client.calls as { input: { files: unknown } }[];
  assert.deepEqual(created?.input.files, [{ name: 'model.bin', hash: 'weights', size: 7 }]);
});

test('only changed files of a stage are sent', async (context) => {
  const directory = await temporaryDirectory(context);
  const [same, changed] = [join(directory, 'same.bin'), join(directory, 'changed.bin')];
  await writeFile(same, 'weights');
  await writeFile(changed, 'new words');
  const hash = createHash('sha256').update('weights').digest('hex');
  const before = [
    { name: 'old-name.bin', hash, size: 7 },
    { name: 'changed.bin', hash: 'of the old words', size: 3 },
  ];
  const sent: string[] = [];
  const client = fakeClient(
    { 'stage.show': { files: before } },
    {
      async upload(content) {
        sent.push(await textOf(Readable.from(content)));
        return { hash: 'of the new words', size: 9 };
      },
    },
  );
  const { stderr } = await runCommand(['stage', 'configure', 's', '--file', same, '--file', changed], {
    client,
  });
  assert.equal(stderr, '');
  assert.deepEqual(sent, ['new words']);
  assert.deepEqual(client.calls.at(-1)?.input, {
    name: 's',
    files: [
      { name: 'same.bin', hash, size: 7 },
      { name: 'changed.bin', hash: 'of the new words', size: 9 },
    ],
  });
});

test('a backup that can’t be moved to its place stays where it is, and the message says where', async (context) => {
  const directory = await temporaryDirectory(context);
  const [file, inTheWay] = [join(directory, 'made.tar'), join(directory, 'in-the-way')];
  await writeFile(file, 'everything');
  await writeFile(inTheWay, '');
  const made = { file, version: '1', createdAt: 0, blobs: { count: 0, bytes: 0 } };
  const client = fakeClient({ 'backup.create': made });
  const { code, stderr } = await runCommand(['backup', join(inTheWay, 'b.tar')], { client });
  assert.equal(code, 3);
  assert.match(
    stderr,
    /can't be moved to .*b\.tar: a part of its path is not a directory; it is in .*made\.tar/,
  );
});

test('nothing is sent if its results could not be saved', async (context) => {
  const file = join(await temporaryDirectory(context), 'letter.txt');
  await writeFile(file, 'ahoj');
  const client = fakeClient({});
  const words = ['publish', file, '--stages', 'a,out', '--wait', '-o', file];
  const { code, stderr } = await runCommand(words, { client });
  assert.equal(code, 2);
  assert.match(stderr, /the directory for the results can't be made: .*choose another with -o/);
  assert.deepEqual(client.calls, []);
  const results = await runCommand(['results', 'out', '-o', join(file, 'below')], { client });
  assert.match(results.stderr, /can't be made: a part of its path is not a directory/);
});

const queue = {
  name: 'q',
  kind: 'stage',
  owner: null,
  ready: { high: 1, normal: 2 },
  backlog: 0,
  delayed: 0,
  inFlight: 0,
  dead: 0,
};
const rows: Answers = {
  'stage.ls': { stages: [] },
  'pipeline.ls': { pipelines: [] },
  'queue.ls': { queues: [{ ...queue, oldestAt: null, paused: false, maxLength: null }] },
  'worker.ls': { workers: [] },
  'schedule.ls': { schedules: [] },
  'alert.ls': { alerts: [] },
  'event.ls': { events: [] },
  'audit.ls': { entries: [] },
  'coordination.ls': { nodes: [] },
  'server.ls': { servers: [] },
  'user.ls': { users: [] },
  'key.ls': { keys: [] },
};

for (const operation of Object.keys(rows)) {
  const [noun = '', verb = ''] = operation.split('.');
  test(`pismak ${noun} ${verb} --json prints the rows and nothing else`, async () => {
    const { code, stdout } = await runCommand([noun, verb, '--json'], { client: fakeClient(rows) });
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), Object.values(rows[operation] as object)[0]);
  });
}

test('names from outside can not send escapes to the terminal', async () => {
  const name = 'evil\x1b]0;title\x07\u202e';
  const client = fakeClient({ 'pipeline.ls': { pipelines: [{ ...sampleOf(pipelineRow), name }] } });
  const { stdout } = await runCommand(['pipeline', 'ls'], { client });
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u);
  assert.match(stdout, /evil\\x1b\]0;title\\x07\\u\{202e\}/);
});

test('config shows where each setting comes from, and its help how to set them', async (context) => {
  const directory = await temporaryDirectory(context);
  await writeFile(join(directory, 'pismak.toml'), '[http]\nport = 1234\n');
  const { stdout } = await runCommand(['config', '--set', 'log.level=debug'], { directory });
  assert.match(stdout, /^http\.port +1234 +pismak\.toml:2$/m);
  assert.match(stdout, /^log\.level +"debug" +command line --set$/m);
  assert.match((await runCommand(['config', '--help'])).stdout, /PISMAK_HTTP_BODY_LIMIT_MB/);
});
