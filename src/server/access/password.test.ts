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

test('no password matches where there is no user, and finding out takes as long as for one', async () => {
  const hash = await hashPassword('correct horse');
  await passwordMatches('warm up', undefined);
  const time = async (against: string | undefined) => {
    const start = performance.now();
    assert.equal(await passwordMatches('guess', against), false);
    return performance.now() - start;
  };
  const known = Math.min(await time(hash), await time(hash), await time(hash));
  const unknown = Math.min(await time(undefined), await time(undefined), await time(undefined));
  assert.ok(unknown > known / 2, `${unknown} ms for nobody, ${known} ms for a user`);
});
