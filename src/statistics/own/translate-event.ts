import type { Event } from '../../engine/event/event.ts';
import { ingestStage } from '../ingest/ingest-stage.ts';
import type { Schema } from '../schema/schema.ts';

/** The user that the installation's own statistics belong to; administrators see them. */
export const installation = 'pismak';

/** An event as the schema `pismak` names it. */
export interface OwnEvent {
  kind: string;
  entity: string;
  user: string;
  split: string;
  at: number;
  dimensions: Record<string, number>;
}

/** Translates an event of the engine or a house into events of the schema `pismak`: none, one or several. */
export function translateEvent(event: Event, schema: Schema): OwnEvent[] {
  const { kind, entity, user, at, dimensions = {} } = event;
  // Counting our own counting would never end.
  if (kind === 'request.processed' && entity === ingestStage.name && !user) return [];
  const split =
    dimensions.status !== undefined && !/^(ok|succeeded)$/i.test(String(dimensions.status)) ? 'failed' : 'ok';
  const base = { split: event.split === 'failed' ? 'failed' : split, at };
  const counted = { count: 1, ...known(dimensions, schema) };
  // Counted for the user who caused it, and for the installation.
  const both = (fields: { kind: string; entity: string }) => [
    { ...base, ...fields, user: installation, dimensions: counted },
    ...(user ? [{ ...base, ...fields, user, dimensions: counted }] : []),
  ];
  if (kind === 'request.processed')
    return [
      ...both({ kind: 'stage', entity }),
      { ...base, kind: 'worker', entity: String(dimensions.worker), user: installation, dimensions: counted },
    ];
  // `schedule.run`, `mailing.sent`, `crawl.page`: the noun is the kind.
  const [noun = ''] = kind.split('.');
  // Stages and workers count requests only; the arrival of a worker is not one.
  if (noun === 'stage' || noun === 'worker') return [];
  return noun in schema.kinds && entity !== '' ? both({ kind: noun, entity: entity.slice(0, 200) }) : [];
}

/** The numbers that the schema has a dimension for. */
function known(dimensions: NonNullable<Event['dimensions']>, schema: Schema): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { name } of schema.dimensions) {
    const value = dimensions[name];
    if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) found[name] = Math.round(value);
  }
  return found;
}
