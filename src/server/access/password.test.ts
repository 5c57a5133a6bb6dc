import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword, passwordMatches } from './password.ts';

test('a password is known by its hash, another is not, and two hashes of it differ', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  assert.notEqual(one, two);
  assert.equal(await passwordMatches('correct horse', one), true);
  assert.equal(await passwordMatches('correct horsf', one), false);
});

test('a hash made with other parameters stays valid', async () => {
  const old = await hashPassword('correct horse', { cost: 1024, blockSize: 8, parallelization: 1 });
  assert.equal(await passwordMatches('correct horse', old), true);
  assert.equal(await passwordMatches('wrong horse', old), false);
});

test('a password typed with composed and with combining characters is the same', async () => {
  const cheap = { cost: 1024, blockSize: 8, parallelization: 1 };
  assert.equal(
    await passwordMatches('heslo Příliš'.normalize('NFD'), await hashPassword('heslo Příliš', cheap)),
    true,
  );
});

test('no password matches where there is no user, and finding out takes as much work as for one', async () => {
  const hash = await hashPassword('correct horse');
  await passwordMatches('warm up', undefined);
  // Time on a processor, that of threads included: others on this machine make it no longer.
  const work = async (against: string | undefined) => {
    const start = process.cpuUsage();
    assert.equal(await passwordMatches('guess', against), false);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  const known = Math.min(await work(hash), await work(hash), await work(hash));
  const unknown = Math.min(await work(undefined), await work(undefined), await work(undefined));
  assert.ok(unknown > known / 2, `${unknown} ms of work for nobody, ${known} ms for a user`);
});
