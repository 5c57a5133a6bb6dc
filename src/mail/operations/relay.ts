import { z } from 'zod';
import { sectionOf, stateOf } from '../../engine/house.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { nothing } from '../../engine/operation/operations/inputs.ts';
import { mailSection } from '../settings/settings.ts';

export const relayList = defineOperation({
  name: 'relay.ls',
  summary: 'List the relays of this process: state, connections, and numbers of mails',
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
    const { OpenMail } = await import('../opened/open-mail.ts');
    const running = stateOf(engine, OpenMail).relays;
    if (running) return { relays: running.states() };
    // This process does not send: show the relays of the settings.
    const { Relays } = await import('../relays/relays.ts');
    const { relays, name } = sectionOf(engine.settings, mailSection);
    const unused = new Relays(relays, { clock: engine.clock, name });
    const states = unused.states();
    await unused.close();
    return { relays: states };
  },
});
