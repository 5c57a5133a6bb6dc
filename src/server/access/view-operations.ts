import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { deleteView, listViews, mostViews, setView } from './saved-views.ts';

/** Everybody has views of their own, administrators too. */
const mine = { role: 'reader', owner: 'caller' } as const;

const storable = (text: string) => !text.includes('\0') && text.isWellFormed();
const page = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9/._-]{0,99}$/,
    'a page is named by lower-case letters, digits, `/`, `.`, `_` and `-`',
  )
  .describe('The page of the console that it belongs to');
const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine(storable, 'it contains invalid characters; remove them')
  .describe('Name of the view');
const address = z
  .string()
  .max(2000)
  // A saved address must not lead to another site.
  .regex(/^\/(?![/\\])[!-~]*$/, 'an address is a path of this server: it begins with one `/`')
  .describe('Path and query of the page, as the browser shows them');

export const viewList = defineOperation({
  ...mine,
  name: 'view.ls',
  summary: 'List the views that you have saved',
  changes: false,
  input: z.strictObject({ page: page.optional().describe('Only views of this page') }),
  output: z.strictObject({
    views: z
      .array(
        z.strictObject({ page: z.string(), name: z.string(), address: z.string(), changedAt: z.number() }),
      )
      .max(mostViews),
  }),
  example: { page: 'documents' },
  handler: async ({ engine, caller }, { page }) => ({
    views: await listViews(engine.database.query, caller.name, page),
  }),
});

export const viewSet = defineOperation({
  ...mine,
  name: 'view.set',
  summary: `Save an address of the console under a name, or change it; at most ${mostViews} views`,
  changes: true,
  audited: false,
  stores: true,
  input: z.strictObject({ page, name, address }),
  output: z.strictObject({}),
  example: { page: 'engine/queues', name: 'broken', address: '/console/engine/queues?state=doubtful' },
  async handler({ engine, caller }, view) {
    const changedAt = engine.clock.now();
    await engine.database.transaction((transaction) =>
      setView(transaction, caller.name, { ...view, changedAt }),
    );
    engine.changes.add({ kind: 'view', entity: view.page, owner: caller.name });
    return {};
  },
});

export const viewDelete = defineOperation({
  ...mine,
  name: 'view.delete',
  summary: 'Delete a view that you have saved',
  changes: true,
  audited: false,
  input: z.strictObject({ page, name }),
  output: z.strictObject({}),
  example: { page: 'engine/queues', name: 'broken' },
  async handler({ engine, caller }, view) {
    if (!(await deleteView(engine.database.query, caller.name, view)))
      throw new PismakError(
        'not-found',
        `you have no view ${view.name} of ${view.page}; \`pismak view ls\` lists them`,
      );
    engine.changes.add({ kind: 'view', entity: view.page, owner: caller.name });
    return {};
  },
});

export const viewOperations: Operation[] = [viewList, viewSet, viewDelete];
