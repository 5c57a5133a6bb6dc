import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { loadHouses } from '../../engine/house.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { houses } from '../../houses.ts';
import { callsOf, operationsOf } from '../operations.ts';
import { checkOpenApi } from '../testing/check-openapi.ts';
import { runServer } from '../testing/running-server.ts';

const allOperations = callsOf(operationsOf(await loadHouses(houses)));

test('the description is valid OpenAPI and has every operation with its method, role and input', async (t) => {
  const server = await runServer(t);
  const { body } = await server.send('GET', '/api/v1/openapi.json');
  assert.deepEqual(checkOpenApi(body), []);
  for (const { name, changes, role, input } of allOperations) {
    const described = body.paths[`/api/v1/${name.replace('.', '/')}`]?.[changes ? 'post' : 'get'];
    assert.equal(described?.operationId, name);
    assert.equal(described['x-role'], role);
    const fields = changes
      ? Object.keys(described.requestBody.content['application/json'].schema.properties ?? {})
      : described.parameters.map((parameter: { name: string }) => parameter.name);
    const { shape = {} } = input.def as { shape?: object };
    assert.deepEqual(fields, Object.keys(shape), name);
  }
  assert.ok(body.paths['/api/v1/results/{receipt}/blobs/{hash}'].get);
});

test('the check of descriptions finds what is wrong', () => {
  const good = {
    openapi: '3.1.0',
    info: { title: 't', version: '1' },
    paths: {
      '/a/{id}': {
        get: {
          operationId: 'a',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 200: { description: 'ok' } },
        },
      },
    },
  };
  assert.deepEqual(checkOpenApi(good), []);
  const operation = good.paths['/a/{id}'].get;
  const bad = (changes: object) =>
    checkOpenApi({ ...good, paths: { '/a/{id}': { get: { ...operation, ...changes } } } });
  assert.match(bad({ parameters: [] })[0] ?? '', /no path parameter id/);
  assert.match(bad({ responses: {} })[0] ?? '', /no responses/);
  assert.match(
    bad({ responses: { 200: { $ref: '#/components/responses/Nothing' } } })[0] ?? '',
    /points nowhere/,
  );
  assert.match(
    bad({ parameters: [{ name: 'id', in: 'path', required: true }] })[0] ?? '',
    /schema or content/,
  );
  assert.match(bad({ surprise: 1 })[0] ?? '', /unknown field surprise/);
  const broken = { type: 'nothing' };
  assert.match(
    bad({ requestBody: { content: { 'application/json': { schema: broken } } } })[0] ?? '',
    /type nothing/,
  );
});

test('the page for people lists every operation and loads nothing from anywhere', async (t) => {
  const server = await runServer(t);
  const { text, headers } = await server.send('GET', '/docs');
  for (const { name } of allOperations) assert.ok(text.includes(`id="${name}"`), name);
  assert.doesNotMatch(text, /<(script|link|img|iframe)|src=|@import|url\(/);
  assert.match(
    headers.get('content-security-policy') ?? '',
    /^default-src 'none';.*style-src 'sha256-[\w+/=]+'$/,
  );
  assert.match(text, /curl -H &#34;Authorization: Bearer \$PISMAK_KEY&#34;/);
});

test('pages that describe the API are made once, however often strangers ask for them', async (t) => {
  let read = 0;
  const counted = defineOperation({
    name: 'test.counted',
    role: 'public',
    owner: 'none',
    changes: false,
    example: {},
    input: z.strictObject({}),
    output: z.strictObject({}),
    handler: async () => ({}),
    get summary() {
      read++;
      return 'Counts how often it is described';
    },
  });
  const server = await runServer(t, { operations: [counted] });
  for (const path of ['/docs', '/api/v1/openapi.json']) {
    const first = await server.send('GET', path);
    assert.match(first.text, /Counts how often it is described/);
    const before = read;
    assert.equal((await server.send('GET', path)).text, first.text);
    assert.equal(read, before);
  }
});
