import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../engine/errors.ts';
import { incompatibility, type Schema, schemaFile } from './schema.ts';
import { createSchemas, loadSchemas } from './schemas.ts';

const shop = (changes: object = {}): Schema =>
  schemaFile.parse({
    ...{ name: 'shop', version: 1, kinds: { category: {}, product: { parent: 'category' } } },
    dimensions: [
      { name: 'views', type: 'counter' },
      { name: 'revenue', type: 'money' },
    ],
    split: { name: 'channel', values: ['web', 'app'] },
    ...changes,
  });

test('two schemas come along, and a keyword belongs to a group of a campaign', () => {
  const schemas = loadSchemas();
  assert.deepEqual(schemas.get('keyword').ancestors, ['group', 'campaign']);
  assert.equal(schemas.get('stage').schema.name, 'pismak');
  assert.throws(
    () => schemas.get('keywrod'),
    (error) => hasCode(error, 'invalid-input') && /did you mean keyword/.test(error.message),
  );
  assert.throws(() => createSchemas([shop(), shop({ name: 'other' })]), /both have the kind category/);
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
  assert.match(incompatibility(shop({ version: 3 }), before) ?? '', /version 1 is older than version 3/);
});
