import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readHolder } from '../../src/engine/data-directory/data-directory.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';

interface Run {
  id: string;
  status: string;
}

test('a real process whose clock is 400 days ahead for a while deletes no audit records, and its schedules come back', {
  timeout: 180_000,
}, async (t) => {
  const directory = await temporaryDirectory(t);
  const time = join(directory, 'time');
  await writeFile(time, '+0');
  const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1');
  assert.ok(library, 'libfaketime is missing: sh bin/setup test installs it');
  const faked = [`LD_PRELOAD=${library}`, `FAKETIME_TIMESTAMP_FILE=${time}`, 'FAKETIME_NO_CACHE=1'];
  const command = [...endsWithUs, 'env', ...faked, 'FAKETIME_DONT_FAKE_MONOTONIC=1', ...commands.up];
  const up = new RunningPismak(join(directory, 'data'), { 'worker.count': 0 }, command);
  t.after(() => up.kill());
  await up.start();
  const list = async (path: string) => {
    const token = (await readHolder(join(directory, 'data')))?.token;
    const answer = await fetch(`${up.url}/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } });
    return answer.text();
  };
  const hourly = {
    when: { kind: 'cron', cron: '0 * * * *' },
    action: { kind: 'task', task: 'history.trim' },
  };
  await up.call('schedule.create', { name: 'hourly', definition: hourly });
  assert.match(await list('audit/ls'), /schedule\.create/);

  await writeFile(time, '+400d');
  await eventually('it is noticed', async () => (await list('alert/ls')).includes('clock.jumped'));
  const { run } = await up.call<{ run: Run }>('schedule.run', { name: 'history.trim' });
  await eventually('history is trimmed', async () => {
    const { runs } = JSON.parse(await list('schedule/history')) as { runs: Run[] };
    return runs.find(({ id, status }) => id === run.id && status === 'succeeded');
  });
  assert.match(await list('audit/ls'), /schedule\.create/);
  assert.match(await list('clock/show'), /"aheadMs"/);

  await writeFile(time, '+0');
  await eventually('it is noticed', async () => !(await list('alert/ls')).includes('clock.jumped'));
  const { schedules } = JSON.parse(await list('schedule/ls')) as {
    schedules: { name: string; nextAt: number }[];
  };
  for (const { name, nextAt } of schedules.filter((each) => each.nextAt !== null))
    assert.ok(nextAt < Date.now() + 25 * 3_600_000, `${name}: ${new Date(nextAt).toISOString()}`);
  assert.match(await list('clock/show'), /"held":null/);
});
