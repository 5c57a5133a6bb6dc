import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { nothing } from './inputs.ts';
import { done } from './rows.ts';

export const clockShow = defineOperation({
  name: 'clock.show',
  summary: 'Show the time of the server, and whether deletions are held back because its clock jumped',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: nothing,
  output: z.strictObject({
    now: z.number(),
    held: z
      .strictObject({ since: z.number(), until: z.number(), aheadMs: z.number() })
      .nullable()
      .describe('Null if nothing is held back'),
  }),
  example: {},
  handler: async ({ engine }) => ({ now: engine.clock.now(), held: engine.clockWatch.held ?? null }),
});

export const clockAccept = defineOperation({
  name: 'clock.accept',
  summary: 'Confirm that the clock is right after a jump, so that old things are deleted again',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: nothing,
  output: done,
  example: {},
  async handler({ engine }) {
    await engine.clockWatch.accept();
    return {};
  },
});

export const clockOperations = [clockShow, clockAccept];
