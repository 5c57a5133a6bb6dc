import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from './load.ts';
import { settingRows } from './show.ts';

test('every setting is shown with its origin, and secrets are not', async () => {
  const webhook = 'https://user:hidden@hooks.example.com/T0/abcdefghij0123456789xyz?token=hidden';
  const loaded = await loadSettings({
    directory: '/nowhere',
    environment: { PISMAK_ALERTS_WEBHOOKS: webhook },
    commandLine: { set: ['processors=shout=./shout.ts'] },
  });
  const rows = settingRows(loaded);
  const row = (name: string) => rows.find(({ setting }) => setting === name);
  assert.equal(row('http.port')?.value, '7475');
  assert.equal(row('http.port')?.origin, 'default');
  assert.equal(row('http.publicUrl')?.value, '');
  assert.equal(row('alerts.webhooks')?.value, '["https://user:***@hooks.example.com/T0/***?token=***"]');
  assert.equal(row('alerts.webhooks')?.origin, 'environment PISMAK_ALERTS_WEBHOOKS');
  assert.equal(row('processors')?.value, '{ "shout" = "/nowhere/shout.ts" }');
  assert.ok(rows.every(({ description }) => description !== ''));
});
