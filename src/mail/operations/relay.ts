import { z } from 'zod';
import { sectionOf, stateOf } from '../../engine/house.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { nothing } from '../../engine/operation/operations/inputs.ts';
import { mailSection } from '../settings.ts';

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
        url: z.string(),
        state: z.enum(['up', 'down', 'unused']),
        connections: z.int(),
        busy: z.int(),
        sent: z.int(),
        deferred: z.int(),
        failed: z.int(),
        unknown: z.int(),
        reason: z.string().optional(),
      }),
    ),
  }),
  example: {},
  async handler({ engine }) {
    const { OpenMail } = await import('../open-mail.ts');
    const running = stateOf(engine, OpenMail).relays;
    if (running) return { relays: running.states() };
    // Nobody sends here. Those of the settings are shown, so that they don't seem to be missing.
    const { Relays } = await import('../relays/relays.ts');
    const { relays, name } = sectionOf(engine.settings, mailSection);
    const unused = new Relays(relays, { clock: engine.clock, name });
    const states = unused.states();
    await unused.close();
    return { relays: states };
  },
});
