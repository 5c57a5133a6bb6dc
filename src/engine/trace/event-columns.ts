import { z } from 'zod';
import type { TraceEvent } from './trace-period.ts';

/** Events of one kind as rows of a table, a third of the size of objects: time since the start, entity, dimensions. */
const columns = z.record(
  z.string(),
  z.object({
    fields: z.array(z.string()),
    rows: z.array(z.tuple([z.number(), z.string()], z.union([z.string(), z.number(), z.null()]))),
  }),
);
type Columns = z.infer<typeof columns>;

export function packEvents(events: readonly TraceEvent[], since: number): string {
  const packed: Columns = {};
  for (const [kind, alike = []] of Object.entries(Object.groupBy(events, (event) => event.kind))) {
    const fields = [...new Set(alike.flatMap(({ dimensions }) => Object.keys(dimensions)))];
    const rows = alike.map(({ at, entity, dimensions }): Columns[string]['rows'][number] => {
      const values = fields.map((field) => dimensions[field] ?? null);
      return [at - since, entity, ...values.slice(0, values.findLastIndex((value) => value !== null) + 1)];
    });
    packed[kind] = { fields, rows };
  }
  return JSON.stringify(packed);
}

/** Events of one kind keep their order; events of different kinds may not. */
export function unpackEvents(json: string, since: number): TraceEvent[] {
  return Object.entries(columns.parse(JSON.parse(json))).flatMap(([kind, { fields, rows }]) =>
    rows.map(([offset, entity, ...values]) => {
      const known = fields.flatMap((field, index) => {
        const value = values[index] ?? null;
        return value === null ? [] : [[field, value] as const];
      });
      return { kind, entity, at: since + offset, dimensions: Object.fromEntries(known) };
    }),
  );
}
