import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openPostgresBroker } from '../../broker/postgres.ts';
import { drain } from '../../broker/testing/contract/scene.ts';
import { engineMigrations } from '../../database/open.ts';
import { openPostgresPool } from '../../database/postgres/pool.ts';
import { openPostgresDatabase } from '../../database/postgres.ts';
import { createDiskReserve, serverDisks } from '../../disk/disk-reserve.ts';
import { hasCode } from '../../ground/errors.ts';
import { eventually } from '../../testing/eventually.ts';
import { startPostgres } from '../../testing/servers/postgres.ts';
import { postgresUser } from '../../testing/servers/postgres-node.ts';
import { systemClock } from '../../time/clock.ts';
import { fullDisk } from './full-disk.ts';

const isFull = (error: unknown) => hasCode(error, 'disk-full');

/** A small disk that another program can fill to the last byte. */
async function smallDisk(t: TestContext, megabytes: number) {
  const owner = await postgresUser();
  const directory = mkdtempSync(join(tmpdir(), 'pismak-small-disk-'));
  const options = `size=${megabytes}m,mode=0700,uid=${owner?.uid},gid=${owner?.gid}`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'pismak-small-disk', directory]);
  t.after(() => {
    execFileSync('umount', ['-l', directory]);
    rmSync(directory, { recursive: true });
  });
  const filler = join(directory, 'filler');
  return {
    directory,
    fill() {
      const file = openSync(filler, 'w');
      for (let size = 2 ** 20; size >= 1; ) {
        try {
          writeSync(file, Buffer.alloc(size, 1));
        } catch {
          size = Math.floor(size / 2);
        }
      }
      closeSync(file);
    },
    free: () => rmSync(filler),
  };
}

const isRoot = process.getuid?.() === 0;
const why = 'only root may mount the small disk that this test fills: run it as root';

test('when the disk of PostgreSQL is full, nothing new is accepted and an alert says what to do; when there is room, work goes on and nothing is lost', {
  skip: isRoot ? false : why,
}, async (t) => {
  const disk = await smallDisk(t, 64);
  const server = await startPostgres();
  t.after(() => server.close());
  const pool = await openPostgresPool({ url: server.url, max: 1 });
  await pool.query(`CREATE TABLESPACE small LOCATION '${disk.directory}'`);
  await pool.query('CREATE DATABASE small TABLESPACE small');
  await pool.close();
  const url = server.url.replace(/\/postgres$/, '/small');
  const broker = await openPostgresBroker({ url, clock: systemClock });
  const database = await openPostgresDatabase({ url });
  t.after(async () => {
    await broker.close();
    await database.close();
  });
  await database.migrate(engineMigrations);
  await broker.declare('letters');
  const reserve = createDiskReserve(
    {},
    [],
    undefined,
    serverDisks({ broker: url, database: url, blobs: '' }),
  );
  const check = fullDisk(reserve, 'here');
  assert.deepEqual([reserve.isShort, await check.look()], [false, []]);

  const confirmed: string[] = [];
  const publish = async (id: string) => {
    await broker.publish('letters', { id, body: new Uint8Array(8000) });
    confirmed.push(id);
  };
  for (let n = 0; n < 20; n++) await publish(`before-${n}`);
  disk.fill();
  await assert.rejects(async () => {
    for (let n = 0; n < 1000; n++) await publish(`at-the-brim-${n}`);
  }, isFull);
  await assert.rejects(async () => {
    for (let n = 0; n < 1000; n++) {
      const row = { name: `row-${n}`, value: 'v'.repeat(1000), createdAt: 1 };
      await database.query.insertInto('secret').values(row).execute();
    }
  }, isFull);

  assert.throws(() => reserve.check(), isFull);
  assert.equal(reserve.isShort, true);
  const [alert] = await check.look();
  assert.match(
    alert?.reason.message ?? '',
    /the disk of PostgreSQL at 127\.0\.0\.1:\d+\/small is full .* until space is freed/,
  );
  assert.doesNotMatch(JSON.stringify(alert), /pismak:/);

  disk.free();
  await eventually('work is accepted again', () => !reserve.isShort);
  assert.deepEqual(await check.look(), []);
  await publish('after');
  const came = await drain(broker, 'letters', confirmed.length);
  assert.deepEqual(new Set(came.map(({ id }) => id)), new Set(confirmed));
  const { ready } = await broker.status('letters');
  assert.equal(ready.normal, 0);
});
