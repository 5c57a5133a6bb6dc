import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { sightOf } from './sight.ts';

export const eventList = defineOperation({
  name: 'event.ls',
  summary: 'List the latest events of the installation and of your things, oldest first',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({
    kind: z.string().min(1).max(100).optional().describe('Only events of this kind, e.g. request.processed'),
    limit: z.int().min(1).max(1000).default(100).describe('Maximum number of events; the latest ones'),
  }),
  output: z.strictObject({
    events: z.array(
      z.strictObject({
        kind: z.string(),
        entity: z.string(),
        user: z.string().nullable(),
        split: z.string().nullable(),
        at: z.number(),
        dimensions: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
    ),
    dropped: z.int().describe('Events dropped from the full buffer since the start'),
  }),
  example: { kind: 'request.processed', limit: 20 },
  async handler(context, { kind, limit }) {
    const { engine } = context;
    const sight = await sightOf(context);
    const visible = engine.events.recent(kind === undefined ? {} : { kind }).filter(sight.event);
    const events = visible.slice(-limit).map(({ kind, entity, user, split, at, dimensions }) => ({
      kind,
      entity,
      user: user ?? null,
      split: split ?? null,
      at,
      dimensions: { ...dimensions },
    }));
    return { events, dropped: engine.events.dropped };
  },
});

export const eventOperations = [eventList];
