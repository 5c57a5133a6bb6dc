import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasCode, PismakError } from '../../engine/ground/errors.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { incompatibility, type Schema, schemaFile } from './schema.ts';
import { createSchemas, loadSchemas } from './schemas.ts';

const shop = (changes: object = {}): Schema =>
  schemaFile.parse({
    name: 'shop',
    version: 1,
    kinds: { category: {}, product: { parent: 'category' } },
    dimensions: [
      { name: 'views', type: 'counter' },
      { name: 'revenue', type: 'money' },
    ],
    split: { name: 'channel', values: ['web', 'app'] },
    ...changes,
  });

function caught(work: () => unknown): PismakError {
  try {
    work();
  } catch (error) {
    if (error instanceof PismakError) return error;
  }
  return assert.fail('it was not refused');
}

test('two schemas come along, and a keyword belongs to a group of a campaign', () => {
  const schemas = loadSchemas();
  assert.deepEqual(schemas.get('keyword').ancestors, ['group', 'campaign']);
  assert.equal(schemas.get('stage').schema.name, 'pismak');
  assert.throws(
    () => schemas.get('keywrod'),
    (error) => hasCode(error, 'invalid-input') && /did you mean keyword/.test(error.message),
  );
  assert.throws(() => createSchemas([shop(), shop({ name: 'other' })]), /both have the kind category/);
  assert.throws(
    () => createSchemas([shop(), shop({ kinds: { order: {} } })]),
    /two schemas have the name shop; rename one/,
  );
});

test('a file that is no schema is refused with its name and the field, in plain words', async (t) => {
  const file = join(await temporaryDirectory(t), 'shop.json');
  const refusal = async (content: string | Buffer) => {
    await writeFile(file, content);
    const { code, message } = caught(() => loadSchemas([file]));
    assert.equal(code, 'configuration-invalid');
    assert.ok(message.startsWith(`schema ${file}: `), message);
    return message.slice(`schema ${file}: `.length);
  };
  assert.equal(await refusal('{"name":"shop"'), 'it is not JSON');
  assert.equal(await refusal(Buffer.from([0xff, 0xfe, 0, 1])), 'it is not JSON');
  assert.equal(await refusal('[]'), 'it must be an object');
  const changed = (changes: object) => refusal(JSON.stringify({ ...shop(), ...changes }));
  assert.equal(await changed({ version: '1' }), 'version: it must be a number');
  assert.equal(await changed({ version: 0 }), 'version: it must be 1 or more');
  assert.equal(await changed({ split: undefined }), 'split: it is missing');
  assert.equal(await changed({ colour: 'red' }), 'there is no field colour');
  assert.equal(await changed({ dimensions: [] }), 'dimensions: it is too short; the limit is 1');
  const dimensions = [{ name: 'views', type: 'count' }];
  assert.equal(
    await changed({ dimensions }),
    'dimensions.0.type: it must be one of counter, money, duration',
  );
  assert.equal(
    await changed({ kinds: { Category: {} } }),
    'kinds.Category: letters and digits, beginning with a small letter',
  );
  await rm(file);
  assert.throws(() => loadSchemas([file]), /shop.json: there is no such file or directory$/);
});

test('a schema that contradicts itself is refused', () => {
  const wrong: [object, RegExp][] = [
    [{ kinds: { product: { parent: 'category' } } }, /there is no kind category/],
    [{ kinds: { a: { parent: 'b' }, b: { parent: 'a' } } }, /its own ancestor/],
    [{ derived: { perView: ['revenue', 'visits'] } }, /there is no dimension visits/],
    [{ dimensions: [{ name: 'split', type: 'counter' }] }, /a meaning of its own/],
    [{ split: { name: 'channel', values: ['web', 'web'] } }, /there twice/],
    [{ split: { name: 'channel', values: ['web'], default: 'app' } }, /app is no value/],
  ];
  for (const [changes, message] of wrong) assert.throws(() => shop(changes), message);
});

test('a new version may append, and nothing else', () => {
  const before = shop();
  const more = [...before.dimensions, { name: 'orders', type: 'counter' }];
  assert.equal(incompatibility(before, shop({ version: 2, dimensions: more })), undefined);
  const first = [{ name: 'orders', type: 'counter' }, ...before.dimensions];
  assert.match(
    incompatibility(before, shop({ version: 2, dimensions: first })) ?? '',
    /must begin with views/,
  );
  assert.match(incompatibility(before, shop({ kinds: { category: {} } })) ?? '', /lacks the kind product/);
  const splits = { name: 'channel', values: ['app', 'web'] };
  assert.match(incompatibility(before, shop({ split: splits })) ?? '', /must begin with web, app/);
  const types = before.dimensions.map(({ name }) => ({ name, type: 'counter' }));
  assert.match(
    incompatibility(before, shop({ version: 2, dimensions: types })) ?? '',
    /^revenue was counted as money and can't become counter/,
  );
  assert.match(incompatibility(shop({ version: 3 }), before) ?? '', /version 1 is older than version 3/);
});
