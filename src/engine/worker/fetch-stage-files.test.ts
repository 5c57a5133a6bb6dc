import assert from 'node:assert/strict';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { systemClock } from '../time/clock.ts';
import { fetchStageFiles } from './fetch-stage-files.ts';

test('files of a stage are copied once, and copies that no stage names are deleted after a day', async (t) => {
  const embedded = await openEmbedded(t);
  const { blobs, stages, directory } = embedded;
  const reads: string[] = [];
  const get = (hash: string) => {
    reads.push(hash);
    return blobs.get(hash);
  };
  const parts = { ...embedded, blobs: { ...blobs, get }, cacheDirectory: join(directory, 'cache') };
  const cached = async () => (await readdir(parts.cacheDirectory)).sort();
  const age = (hash: string, days: number) => {
    const at = new Date(systemClock.now() - days * 24 * 3_600_000);
    return utimes(join(parts.cacheDirectory, hash), at, at);
  };
  const put = async (name: string, text: string) => ({ name, ...(await blobs.put(Buffer.from(text))) });
  const [old, newer, newest] = [await put('m', 'old'), await put('m', 'newer'), await put('m', 'newest')];

  const one = await stages.create({ name: 's', processor: 'nothing', files: [old] }, 'root');
  await Promise.all([fetchStageFiles(parts, one), fetchStageFiles(parts, one)]);
  await fetchStageFiles(parts, one);
  assert.deepEqual(reads, [old.hash], 'one copy for all');
  await age(old.hash, 3);
  await fetchStageFiles(parts, await stages.change('s', { files: [newer] }, 'root'));
  assert.deepEqual(await cached(), [newer.hash]);
  await age(newer.hash, 0.5);
  await fetchStageFiles(parts, await stages.change('s', { files: [newest] }, 'root'));
  assert.deepEqual(await cached(), [newer.hash, newest.hash].sort(), 'a message may still need yesterday’s');

  const gone = { ...one, files: [{ ...old, hash: '00'.repeat(32) }] };
  await assert.rejects(
    fetchStageFiles(parts, gone),
    /file m of stage s could not be copied.*There is no blob/,
  );
});
