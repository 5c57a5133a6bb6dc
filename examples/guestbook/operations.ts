import { z } from 'zod';
import { PismakError } from '../../src/engine/ground/errors.ts';
import { newId } from '../../src/engine/ground/identity.ts';
import { sectionOf } from '../../src/engine/house.ts';
import { defineOperation } from '../../src/engine/operation/operation.ts';
import { guestbookSection } from './settings.ts';
import { entryQueries } from './tables.ts';

export const guestbookSign = defineOperation({
  name: 'guestbook.sign',
  summary: 'Sign the guestbook',
  role: 'user',
  owner: 'caller',
  changes: true,
  input: z.strictObject({ text: z.string().min(1).max(10_000).describe('What to write') }),
  output: z.strictObject({ id: z.string() }),
  example: { text: 'Hello from Brno' },
  async handler({ engine, caller }, { text }) {
    const { longest } = sectionOf(engine.settings, guestbookSection);
    if (text.length > longest)
      throw new PismakError(
        'too-large',
        `the text has ${text.length} characters; the limit is ${longest} (setting guestbook.longest)`,
      );
    const id = newId(engine.clock);
    const entry = { id, owner: caller.name, text, createdAt: engine.clock.now() };
    await entryQueries(engine).insertInto('guestbook_entry').values(entry).execute();
    return { id };
  },
});

export const guestbookList = defineOperation({
  name: 'guestbook.ls',
  summary: 'List the entries, the newest first',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: z.strictObject({ limit: z.int().min(1).max(1000).default(100).describe('How many at most') }),
  output: z.strictObject({
    entries: z.array(z.strictObject({ text: z.string(), owner: z.string(), createdAt: z.number() })),
  }),
  example: { limit: 10 },
  async handler({ engine }, { limit }) {
    const entries = await entryQueries(engine)
      .selectFrom('guestbook_entry')
      .select(['text', 'owner', 'createdAt'])
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return { entries };
  },
});
