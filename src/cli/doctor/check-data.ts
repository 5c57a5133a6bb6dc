import { existsSync } from 'node:fs';
import { readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkSqliteFile } from '../../engine/database/sqlite/check-file.ts';
import { messageOf } from '../../engine/ground/errors.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { formatBytes, formatDuration } from '../../terminal/output/format.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Checks the data directory and its files. A missing directory is not an error: `pismak up` creates it. */
export async function checkData(settings: Settings, clock: Clock, inUse: boolean): Promise<Finding[]> {
  const { data } = settings;
  if (!existsSync(data)) {
    return [
      warn('data directory', `${data} does not exist yet`, '`pismak up` creates it'),
      await checkDisk(settings),
    ];
  }
  return [
    await checkWritable(data),
    await checkDisk(settings),
    await checkClock(data, clock),
    ...['queues.db', 'pismak.db'].map((name) => checkIntegrity(join(data, name), inUse)),
  ];
}

async function checkWritable(data: string): Promise<Finding> {
  const probe = join(data, `.doctor-${process.pid}`);
  try {
    await writeFile(probe, '', { flag: 'wx' });
    await rm(probe);
    const open = (await stat(data)).mode & 0o077;
    if (open === 0) return ok('data directory', `${data}, writable, private`);
    return warn('data directory', `other users of this machine can enter ${data}`, `chmod 700 ${data}`);
  } catch (error) {
    return fail(
      'data directory',
      messageOf(error),
      'make it writable for this user, or choose another with --data',
    );
  }
}

async function checkDisk({ data, alerts }: Settings): Promise<Finding> {
  let existing = data;
  while (!existsSync(existing)) existing = dirname(existing);
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const found = `${formatBytes(free)} free`;
  const advice = 'free some space, or move the data directory to a larger disk';
  if (free < 100e6) return fail('disk', found, advice);
  return free < alerts.diskFreeMb * 1e6
    ? warn('disk', `${found}, less than alerts.diskFreeMb`, advice)
    : ok('disk', found);
}

/** Files from the future show that the clock was set back: ages and schedules would be wrong. */
async function checkClock(data: string, clock: Clock): Promise<Finding> {
  const names = await readdir(data);
  const times = await Promise.all(
    names.map((name) =>
      stat(join(data, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  const aheadMs = Math.max(0, ...times) - clock.now();
  if (aheadMs < 60_000) return ok('clock', new Date(clock.now()).toISOString());
  return warn(
    'clock',
    `files are ${formatDuration(aheadMs)} ahead of the clock`,
    'correct the clock (NTP), then restart',
  );
}

function checkIntegrity(file: string, inUse: boolean): Finding {
  const name = `integrity of ${file.slice(file.lastIndexOf('/') + 1)}`;
  if (!existsSync(file)) return ok(name, 'does not exist yet');
  try {
    const findings = checkSqliteFile(file);
    return findings.length === 0
      ? ok(name, 'sound')
      : fail(name, findings.join('; '), 'restore a backup: `pismak restore --force`');
  } catch (error) {
    if (inUse && messageOf(error).includes('locked')) return ok(name, 'not checked: it is in use');
    return fail(name, messageOf(error), 'if this persists, restore a backup: `pismak restore --force`');
  }
}
