import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { alice, openOperations } from '../../testing/call-operations.ts';

const { engine, call } = await openOperations();

test('settings are listed with origin and default, for administrators only', async () => {
  const { settings, file } = await call('settings.ls');
  const port = settings.find(({ setting }: { setting: string }) => setting === 'http.port');
  assert.deepEqual([port.value, port.default, port.origin], ['7475', '7475', 'default']);
  assert.ok(settings.length > 50);
  assert.equal(file, null);
  await assert.rejects(call('settings.ls', {}, alice), { code: 'forbidden' });
});

test('backups are listed with what they contain, a broken one too, and how to restore one is said', async () => {
  assert.deepEqual((await call('backup.ls')).backups, []);
  await call('backup.create', { name: 'whole.tar' });
  await writeFile(join(engine.settings.data, 'backups', 'broken.tar'), Buffer.alloc(2048));
  const { backups, restore } = await call('backup.ls');
  const contents = Object.fromEntries(
    backups.map((backup: { name: string; contents: unknown }) => [backup.name, backup.contents]),
  );
  assert.equal(contents['broken.tar'], null);
  assert.deepEqual(contents['whole.tar'].parts, ['queues.db', 'pismak.db']);
  assert.equal(restore.code, 'backup.restore');
  assert.match(restore.message, /pismak restore .*backups\/NAME --data/);
});

test('components, disks and versions are shown, and licences of what is installed', async () => {
  const { components, disks, certificates, node } = await call('system.show');
  assert.deepEqual(
    components.map(({ state }: { state: string }) => state),
    ['ok', 'ok', 'ok', 'ok'],
  );
  assert.ok(disks[0].freeBytes > 0);
  assert.deepEqual([certificates, node], [[], process.versions.node]);
  const { packages } = await call('system.licences');
  const zod = packages.find(({ name }: { name: string }) => name === 'zod');
  assert.equal(zod.licence, 'MIT');
});

test('a processor declares the keys of its configuration, so that forms can be drawn', async () => {
  const { processors } = await call('stage.processors');
  const named = (wanted: string) => processors.find(({ name }: { name: string }) => name === wanted);
  const { properties } = named('dummy').configuration;
  assert.deepEqual(properties.FAILURE_RATE, {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0,
    description: 'share of requests that fail',
  });
  assert.deepEqual(properties.DUMMY.type, 'boolean');
  assert.deepEqual(named('command').configuration.properties.NETWORK.enum, ['no', 'yes', 'never']);
  assert.equal(named('nothing').configuration, null);
});
