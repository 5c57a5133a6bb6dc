import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Engine } from './composition/engine.ts';
import { type LoadedHouse, sectionOf, stateOf } from './house.ts';
import { openEngine } from './open-engine.ts';
import { executeOperation } from './operation/execute-operation.ts';
import { defineOperation } from './operation/operation.ts';
import { settingsSchema } from './settings/settings.ts';
import { admin } from './testing/call-operations.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

class Bakery {
  readonly engine: Engine;
  readonly closed: string[];
  loaves = 0;

  constructor(engine: Engine, closed: string[]) {
    this.engine = engine;
    this.closed = closed;
  }

  async close() {
    // The stores are closed later.
    await this.engine.database.query.selectFrom('secret').select('name').execute();
    this.closed.push('bakery');
  }
}

const bake = (heavy?: 'read') =>
  defineOperation({
    name: 'bakery.bake',
    summary: 'Bake a loaf',
    role: 'user',
    owner: 'none',
    changes: false,
    ...(heavy && { heavy }),
    input: z.strictObject({}),
    output: z.strictObject({ loaves: z.int() }),
    example: {},
    handler: async ({ engine }) => ({ loaves: ++stateOf(engine, Bakery).loaves }),
  });

test('what a house opens is there for every handler of its engine, heavy reads too, and is closed before the stores', async (t) => {
  const closed: string[] = [];
  const house: LoadedHouse = { name: 'bakery', open: (engine) => new Bakery(engine, closed) };
  const open = async () => {
    const settings = settingsSchema.parse({ data: await temporaryDirectory(t), log: { level: 'silent' } });
    const engine = await openEngine(settings, { purpose: 'test', houses: [house] });
    t.after(() => engine.close());
    return engine;
  };
  const [engine, other] = [await open(), await open()];
  const { signal } = new AbortController();
  assert.deepEqual(await executeOperation(engine, bake(), admin, {}, signal), { loaves: 1 });
  assert.deepEqual(await executeOperation(engine, bake('read'), admin, {}, signal), { loaves: 2 });
  assert.deepEqual(await executeOperation(other, bake(), admin, {}, signal), { loaves: 1 });
  assert.equal(await engine.close(), true);
  assert.deepEqual(closed, ['bakery']);
});

test('a state that no house opened is a fault of the program, and says which', () => {
  assert.throws(() => stateOf({ states: [] }, Bakery), /no house of this engine opened a Bakery/);
});

test("a house's section has its defaults when the settings have none", () => {
  const section = { name: 'bakery', settings: z.strictObject({ ovens: z.int().default(2) }) };
  const settings = settingsSchema.parse({});
  assert.deepEqual(sectionOf(settings, section), { ovens: 2 });
  assert.deepEqual(sectionOf({ ...settings, ...{ bakery: { ovens: 3 } } }, section), { ovens: 3 });
});
