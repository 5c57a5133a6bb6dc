import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../ground/errors.ts';
import { settingsSchema } from '../settings/settings.ts';
import { createDiskReserve, defaultReserve, localDisks } from './disk-reserve.ts';

const isFull = (error: unknown) => hasCode(error, 'disk-full');

function reserveOn(freeBytes: number, reserveMb: number) {
  const look = () => ({ freeBytes, totalBytes: 100e9 });
  return createDiskReserve({ reserveMb }, [{ directory: '/', stores: ['blobs'] }], look);
}

test('the reserve suits the disk: 500 MB, 1 % of a large one, a tenth of a small one, never over 5 GB', () => {
  const megabytes = (total: number) => Math.round(defaultReserve(total) / 1e6);
  assert.deepEqual([100e6, 2e9, 20e9, 200e9, 20e12].map(megabytes), [10, 200, 500, 2000, 5000]);
});

test('uploads that have announced their length can not together take more than there is', async () => {
  const disk = reserveOn(30 * 2 ** 20, 10);
  async function* bytes() {
    yield new Uint8Array(10);
  }
  const first = disk.bounded(bytes(), 15 * 2 ** 20)[Symbol.asyncIterator]();
  await first.next();
  assert.throws(() => disk.check(10 * 2 ** 20), isFull);
  await assert.rejects(Array.fromAsync(disk.bounded(bytes(), 10 * 2 ** 20)), isFull);
  disk.check(2 ** 20);
  await first.return?.();
  disk.check(10 * 2 ** 20);
});

test('accepted work goes on until half of the reserve is gone', () => {
  assert.equal(reserveOn(8 * 2 ** 20, 10).isShort, false);
  assert.throws(() => reserveOn(8 * 2 ** 20, 10).check(), isFull);
  assert.equal(reserveOn(4 * 2 ** 20, 10).isShort, true);
});

test('only disks with stores of our own are watched', () => {
  const ofServers = {
    broker: 'amqp://a',
    database: 'postgres://a',
    blobs: 'postgres://a',
    coordination: 'postgres://a',
  };
  assert.deepEqual(localDisks(settingsSchema.parse(ofServers)), []);
  const disks = localDisks(settingsSchema.parse({ data: '/data', blobs: 'directory:/blobs' }));
  assert.deepEqual(disks, [
    { directory: '/data', stores: ['broker', 'database'] },
    { directory: '/blobs', stores: ['blobs'] },
  ]);
});
