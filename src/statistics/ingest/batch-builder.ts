import { nearestName } from '../../engine/ground/nearest-name.ts';
import { type Day, formatDay, parseDay, unitOf } from '../calendar/days.ts';
import { wholeDay, type ZoneDays } from '../calendar/zone-days.ts';
import { entityRange } from '../columns/sum-table.ts';
import { isKey, longestKey } from '../entities/key.ts';
import type { Kind, Schemas } from '../schema/schemas.ts';
import type { Correction, PreparedCube } from '../store/store.ts';
import { addDay, addKey, type CubeBuilder, indexesOf, type KindBuilder, prepared } from './cube-builder.ts';
import { parseMoment } from './parse-moment.ts';
import type { UsualEvent } from './shaped-lines.ts';

/** A refused event and the reason. `index` counts from 0. */
export interface Refusal {
  index: number;
  id: string;
  reason: string;
}

export interface BatchRules {
  schemas: Schemas;
  /** Accept only kinds of this schema. */
  schema?: string | undefined;
  days: ZoneDays;
  /** Events after this moment are refused: somebody's clock is wrong. */
  latest: number;
  /** Days before this one may be sealed. */
  sealedBefore: Day;
  sealed: (kind: string, user: string, day: Day) => boolean;
  /** First days of closed months. */
  closed: ReadonlySet<Day>;
  /** Whether lines are events, or sums of a whole day (`day` instead of `at`). */
  level: 'event' | 'day';
  mayWrite(user: string): boolean;
}

/** Maximum events in a batch: a sum table tells this many entities apart. */
export const mostEvents = entityRange;
const knownFields = new Set(['id', 'kind', 'entity', 'user', 'split', 'at', 'day', 'dimensions']);

class Refused extends Error {}

/**
 * Checks events one by one and adds them up by cube, day, half hour, entity and split. The checks are written out rather than
 * declared with Zod: this loop decides how many events per second fit in, and each refusal gives its reason.
 */
export class BatchBuilder {
  readonly refusals: Refusal[] = [];
  readonly corrections: Correction[] = [];
  readonly #rules: BatchRules;
  readonly #kinds = new Map<unknown, KindBuilder>();
  #events = 0;

  constructor(rules: BatchRules) {
    this.#rules = rules;
  }

  get events(): number {
    return this.#events;
  }

  add(event: unknown): void {
    const index = this.#events++;
    try {
      this.#take(event);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refuse(index, event, error.message);
    }
  }

  /** Counts a plain event fast. False if anything about it is unusual: nothing was counted, and `add` must check it. */
  addUsual(event: UsualEvent): boolean {
    const { at, entity, dimensions, amounts } = event;
    const kind = this.#kinds.get(event.kind);
    const cube = kind?.cubes.get(event.user);
    const { days, latest, level, closed, sealedBefore } = this.#rules;
    if (!kind || !cube || level !== 'event' || closed.size > 0) return false;
    if (!(at >= 0 && at <= latest)) return false;
    const day = days.dayAt(at);
    const split = kind.kind.splitIndex.get(event.split);
    if (split === undefined || day < sealedBefore) return false;
    const indexes = kind.names === dimensions ? kind.indexes : indexesOf(kind, dimensions);
    if (!indexes) return false;
    for (let place = 0; place < indexes.length; place++)
      if ((amounts[place] as number) < 0 && !kind.mayBeNegative[indexes[place] as number]) return false;
    const before = cube.days.get(day);
    for (let place = 0; before && place < indexes.length; place++)
      if (!before.table.fits(indexes[place] as number, amounts[place] as number)) return false;
    let known = cube.keys.get(entity);
    if (known === undefined) {
      if (typeof entity === 'string' && !isKey(entity)) return false;
      known = addKey(cube, entity, String(entity));
    }
    const sums = before ?? addDay(cube, day, kind.kind, false);
    const place = sums.table.place(split, days.slotAt(at, day), known);
    for (let index = 0; index < indexes.length; index++)
      sums.table.add(place, indexes[index] as number, amounts[index] as number);
    sums.events++;
    this.#events++;
    return true;
  }

  /** Refuses a line that can't be parsed. */
  addBroken(reason: string): void {
    this.refuse(this.#events++, undefined, reason);
  }

  refuse(index: number, event: unknown, reason: string): void {
    const id = typeof event === 'object' && event !== null && 'id' in event ? idText(event.id) : '';
    this.refusals.push({ index, id: id.slice(0, 100), reason });
  }

  cubes(): PreparedCube[] {
    return [...this.#kinds.values()].flatMap((kind) =>
      [...new Set(kind.cubes.values())].filter(({ days }) => days.size > 0).map(prepared),
    );
  }

  #take(event: unknown): void {
    if (typeof event !== 'object' || event === null || Array.isArray(event))
      throw new Refused('not an object with fields');
    const fields = event as Record<string, unknown>;
    const kind = this.#kinds.get(fields.kind) ?? this.#kind(fields.kind);
    const cube = kind.cubes.get(fields.user) ?? this.#cube(kind, fields.user);
    const { day, slot, at } = this.#when(fields);
    const split = this.#split(kind.kind, fields.split);
    // Everything is checked before anything is counted.
    const values = this.#values(kind.kind, fields);
    const entity = keyText(fields.entity, 'entity');
    const { closed } = this.#rules;
    if (closed.size > 0 && closed.has(unitOf('month', day).from)) {
      this.#correct(kind.kind, cube, { fields, entity, split, day, at, values });
      return;
    }
    const { sealed, sealedBefore } = this.#rules;
    if (day < sealedBefore && sealed(kind.kind.name, cube.user, day))
      throw new Refused(
        `${formatDay(day)} is sealed: its slots are gone; replace the whole day with backfill`,
      );
    const before = cube.days.get(day);
    for (let at = 0; before && at < values.length; at += 2)
      if (!before.table.fits(values[at] as number, values[at + 1] as number))
        throw new Refused(
          `${kind.kind.schema.dimensions[values[at] as number]?.name}: with it, the sum of the day would exceed 2^53`,
        );
    const known = cube.keys.get(fields.entity) ?? addKey(cube, fields.entity, entity);
    const sums = before ?? addDay(cube, day, kind.kind, day < sealedBefore);
    const place = sums.table.place(split, slot, known);
    for (let at = 0; at < values.length; at += 2)
      sums.table.add(place, values[at] as number, values[at + 1] as number);
    sums.events++;
  }

  #kind(name: unknown): KindBuilder {
    const { schemas, schema } = this.#rules;
    if (typeof name !== 'string' || name === '') throw new Refused('kind: it is missing');
    const kind = schemas.find(name);
    if (!kind) {
      const near = nearestName(
        name,
        schemas.kinds.map((one) => one.name),
      );
      throw new Refused(
        `kind: there is no kind ${name.slice(0, 50)}${near ? `; did you mean ${near}?` : ''}`,
      );
    }
    if (schema !== undefined && kind.schema.name !== schema)
      throw new Refused(`kind: ${name} belongs to the schema ${kind.schema.name}, not ${schema}`);
    const mayBeNegative = kind.schema.dimensions.map(({ type }) => type === 'money');
    const builder: KindBuilder = { kind, cubes: new Map(), mayBeNegative, names: [], indexes: undefined };
    this.#kinds.set(name, builder);
    return builder;
  }

  #cube(kind: KindBuilder, given: unknown): CubeBuilder {
    const user = keyText(given, 'user');
    if (!this.#rules.mayWrite(user)) throw new Refused(`user: you may not write statistics of ${user}`);
    // 3 and "3" are the same user.
    const cube: CubeBuilder = kind.cubes.get(user) ?? {
      kind: kind.kind.name,
      user,
      keys: new Map(),
      names: [],
      days: new Map(),
    };
    kind.cubes.set(given, cube);
    kind.cubes.set(user, cube);
    return cube;
  }

  #when({ at, day }: Record<string, unknown>): { day: Day; slot: number; at: number } {
    const { days, latest, level } = this.#rules;
    if (level === 'day') {
      const found = typeof day === 'string' ? parseDay(day) : undefined;
      if (found === undefined || found < 0)
        throw new Refused('day: it must be a date such as 2026-03-29, not before 1970');
      const start = days.start(found);
      if (start > latest) throw new Refused(`day: ${day} is in the future`);
      return { day: found, slot: wholeDay, at: start };
    }
    const moment = typeof at === 'number' ? at : momentOf(at);
    if (!(moment >= 0)) throw new Refused('at: it is before 1970');
    if (moment > latest) throw new Refused('at: it is in the future; check the clock of the sender');
    const found = days.dayAt(moment);
    return { day: found, slot: days.slotAt(moment, found), at: moment };
  }

  #split({ schema, splitIndex }: Kind, given: unknown): number {
    const name = given ?? schema.split.default;
    const split = splitIndex.get(name as string);
    if (split !== undefined) return split;
    const values = schema.split.values.join(', ');
    throw new Refused(
      `split: ${name === undefined ? 'it is missing' : 'it is unknown'}; use one of ${values}`,
    );
  }

  /** Dimension, value, dimension, value... */
  #values(kind: Kind, fields: Record<string, unknown>): number[] {
    const values: number[] = [];
    for (const name in fields) {
      if (!knownFields.has(name)) addValue(values, kind, name, fields[name]);
    }
    const { dimensions } = fields;
    if (dimensions !== undefined) {
      if (typeof dimensions !== 'object' || dimensions === null)
        throw new Refused('dimensions: it must be an object');
      for (const [name, value] of Object.entries(dimensions)) addValue(values, kind, name, value);
    }
    if (values.length === 0) throw new Refused('it counts nothing: no dimension is there');
    return values;
  }

  #correct(
    { name, schema }: Kind,
    { user }: CubeBuilder,
    event: {
      fields: Record<string, unknown>;
      entity: string;
      split: number;
      day: Day;
      at: number;
      values: number[];
    },
  ): void {
    const { fields, entity, split, day, at, values } = event;
    const dimensions: Record<string, number> = {};
    for (let place = 0; place < values.length; place += 2)
      dimensions[schema.dimensions[values[place] as number]?.name ?? ''] = values[place + 1] as number;
    const id = idText(fields.id).replaceAll('\0', '').slice(0, 200);
    this.corrections.push({
      kind: name,
      user,
      entity,
      split: schema.split.values[split] ?? '',
      at,
      day,
      event: id,
      dimensions,
    });
  }
}

function addValue(
  values: number[],
  { name: kind, schema, dimensionIndex }: Kind,
  name: string,
  value: unknown,
): void {
  const dimension = dimensionIndex.get(name);
  if (dimension === undefined) {
    const near = nearestName(name, dimensionIndex.keys());
    throw new Refused(
      `${name.slice(0, 50)}: ${kind} has no such dimension${near ? `; did you mean ${near}?` : ''}`,
    );
  }
  if (!Number.isSafeInteger(value)) throw new Refused(`${name}: it must be a whole number below 2^53`);
  if ((value as number) < 0 && schema.dimensions[dimension]?.type !== 'money')
    throw new Refused(`${name}: it must not be negative`);
  for (let at = 0; at < values.length; at += 2)
    if (values[at] === dimension) throw new Refused(`${name}: it is there twice`);
  values.push(dimension, value as number);
}

/** Only numbers and strings: converting anything else to a string may throw. */
function idText(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}

function keyText(value: unknown, field: string): string {
  if (isKey(value)) return value;
  if (Number.isSafeInteger(value)) return String(value);
  throw new Refused(
    `${field}: ${value === undefined ? 'it is missing' : `it must be a whole number or a name of 1 to ${longestKey} characters`}`,
  );
}

function momentOf(at: unknown): number {
  if (at === undefined) throw new Refused('at: it is missing');
  const moment = typeof at === 'string' ? parseMoment(at) : Number.NaN;
  if (Number.isNaN(moment))
    throw new Refused(
      'at: it must be a time with its zone, such as 2026-03-29T01:59:00+01:00, or ms since 1970',
    );
  return moment;
}
