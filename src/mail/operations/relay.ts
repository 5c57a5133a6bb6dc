import { z } from 'zod';
import { defineOperation } from '../../engine/operation/operation.ts';
import { nothing } from '../../engine/operation/operations/inputs.ts';
import { runningRelays } from '../relays/running-relays.ts';

export const relayList = defineOperation({
  name: 'relay.ls',
  summary:
    'List the relays of this process: whether they answer, their connections, and what they have taken',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: nothing,
  output: z.strictObject({
    relays: z.array(
      z.strictObject({
        name: z.string(),
        ...{ url: z.string(), state: z.enum(['up', 'down', 'unused']), connections: z.int(), busy: z.int() },
        ...{
          sent: z.int(),
          deferred: z.int(),
          failed: z.int(),
          unknown: z.int(),
          reason: z.string().optional(),
        },
      }),
    ),
  }),
  example: {},
  handler: async ({ engine }) => ({ relays: runningRelays(engine)?.states() ?? [] }),
});
