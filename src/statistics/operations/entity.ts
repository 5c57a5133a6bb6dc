import { z } from 'zod';
import { defineOperation } from '../../engine/operation/operation.ts';
import { checkMayWrite } from '../access/access.ts';
import { limitsOf } from '../store/limits.ts';
import { readableBy } from './access.ts';
import { entityKey, kindName, userKey } from './inputs.ts';

const text = (about: string) =>
  z
    .string()
    .max(1000)
    .regex(/^[^\0]*$/)
    .optional()
    .describe(about);
const attributes = {
  name: text('Name for people'),
  status: text('Status, such as active or paused'),
  parent: z
    .union([entityKey, z.literal('')])
    .optional()
    .describe('Key of the parent: the group of a keyword'),
  budget: z.int().nullable().optional().describe('Budget in the smallest unit of money'),
  created: z
    .int()
    .min(0)
    .optional()
    .describe('When it was created, in ms since 1970; default for a new entity: now'),
};
const key = { kind: kindName, user: userKey, entity: entityKey };

export const statisticsEntityCreate = defineOperation({
  name: 'statistics.entity.create',
  summary: 'Create an entity, or update the attributes of an existing one',
  role: 'user',
  owner: 'caller',
  changes: true,
  stores: true,
  bodyLimit: 4 * 2 ** 20,
  input: z.strictObject({
    ...key,
    ...attributes,
    more: z
      .array(z.strictObject({ entity: entityKey, ...attributes }))
      .max(5000)
      .default([])
      .describe('Further entities of this kind and user'),
  }),
  output: z.strictObject({ created: z.int(), updated: z.int() }),
  example: { kind: 'keyword', user: 3, entity: 17, name: 'shoes', parent: 4 },
  async handler({ engine, caller }, { kind, user, more, ...first }) {
    const { statisticsOf } = await import('../opened/statistics.ts');
    const { saveEntities } = await import('../entities/entities.ts');
    const statistics = await statisticsOf(engine);
    await checkMayWrite(statistics, caller, String(user));
    return saveEntities(statistics, {
      kind,
      user: String(user),
      entities: [first, ...more],
      create: true,
      limits: limitsOf(statistics.limits, caller),
    });
  },
});

export const statisticsEntityUpdate = defineOperation({
  name: 'statistics.entity.update',
  summary: 'Change name, status, parent, budget or creation time of an entity',
  role: 'user',
  owner: 'caller',
  changes: true,
  input: z.strictObject({ ...key, ...attributes }),
  output: z.strictObject({ updated: z.int() }),
  example: { kind: 'keyword', user: 3, entity: 17, status: 'paused' },
  async handler({ engine, caller }, { kind, user, ...entity }) {
    const { statisticsOf } = await import('../opened/statistics.ts');
    const { saveEntities } = await import('../entities/entities.ts');
    const statistics = await statisticsOf(engine);
    await checkMayWrite(statistics, caller, String(user));
    const change = { kind, user: String(user), entities: [entity], create: false };
    const { updated } = await saveEntities(statistics, change);
    return { updated };
  },
});

export const statisticsEntityRemove = defineOperation({
  name: 'statistics.entity.remove',
  summary: 'Mark an entity as removed: its status becomes `removed`, its sums stay',
  role: 'user',
  owner: 'caller',
  changes: true,
  input: z.strictObject(key),
  output: z.strictObject({}),
  example: { kind: 'keyword', user: 3, entity: 17 },
  async handler({ engine, caller }, { kind, user, entity }) {
    const { statisticsOf } = await import('../opened/statistics.ts');
    const { saveEntities } = await import('../entities/entities.ts');
    const statistics = await statisticsOf(engine);
    await checkMayWrite(statistics, caller, String(user));
    const entities = [{ entity, status: 'removed' }];
    await saveEntities(statistics, { kind, user: String(user), entities, create: false });
    return {};
  },
});

export const statisticsEntityLs = defineOperation({
  name: 'statistics.entity.ls',
  summary: 'List entities with their attributes, in order of creation',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({
    kind: kindName,
    user: userKey,
    offset: z.int().min(0).max(10_000_000).default(0).describe('Rows to skip'),
    limit: z.int().min(1).max(1000).default(100).describe('Maximum number of rows'),
  }),
  output: z.strictObject({
    entities: z.array(
      z.strictObject({
        entity: z.string(),
        name: z.string(),
        status: z.string(),
        parent: z.string(),
        budget: z.number().nullable(),
        created: z.number(),
      }),
    ),
  }),
  example: { kind: 'keyword', user: 3 },
  async handler({ engine, caller }, { kind, user, offset, limit }) {
    const { listEntities } = await import('../entities/entities.ts');
    const statistics = await readableBy(caller, engine, user);
    return { entities: await listEntities(statistics, { kind, user: String(user), offset, limit }) };
  },
});
