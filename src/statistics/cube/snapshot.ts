import { type Day, type DayRange, unitOf } from '../calendar/days.ts';
import type { Cost, Scan } from '../plan/plan.ts';
import type { Level, SegmentMeta, UnitMeta } from '../store/store.ts';

/** A stored block to read, and its weight: 1 or -1, rarely more. */
export interface Reading {
  source: { unit: UnitMeta } | { segment: SegmentMeta };
  weight: number;
}

export function chunkOf({ source }: Reading): number {
  return 'unit' in source ? source.unit.chunk : source.segment.chunk;
}

/**
 * What a cube has at one moment: its units, and the segments that some of them don't contain yet. Every unit can be used at
 * any time: what is newer than the unit is added from segments. So reads are exact while anything is rebuilt.
 */
export class Snapshot {
  /** All segments up to this number are in `segments` or in every unit of their days. */
  readonly seq: number;
  readonly #units = new Map<string, UnitMeta[]>();
  readonly #segments = new Map<Day, SegmentMeta[]>();
  readonly #costs = new Map<string, number>();
  readonly #history: DayRange | undefined;

  constructor(options: { seq: number; units: readonly UnitMeta[]; segments: readonly SegmentMeta[] }) {
    this.seq = options.units.reduce((most, { upTo }) => Math.max(most, upTo), options.seq);
    let from = Number.POSITIVE_INFINITY;
    let to = Number.NEGATIVE_INFINITY;
    const seen = (day: Day) => {
      if (day < from) from = day;
      if (day > to) to = day;
    };
    for (const unit of options.units) {
      push(this.#units, `${unit.level}/${unit.bucket}`, unit);
      if (unit.level === 'day' || unit.level === 'slot') seen(unit.bucket);
    }
    for (const segment of options.segments) {
      if (segment.seq > this.seq) continue;
      push(this.#segments, segment.day, segment);
      seen(segment.day);
    }
    this.#history = from <= to ? { from, to } : undefined;
  }

  /** The first and the last day that anything was counted for. */
  get history(): DayRange | undefined {
    return this.#history;
  }

  /** The days that have segments, which may be in units already. */
  get daysWithSegments(): Day[] {
    return [...this.#segments.keys()].sort((one, other) => one - other);
  }

  unitsAt(level: Level, bucket: Day): readonly UnitMeta[] {
    return this.#units.get(`${level}/${bucket}`) ?? [];
  }

  unitAt(level: Level, bucket: Day, chunk: number): UnitMeta | undefined {
    return this.unitsAt(level, bucket).find((unit) => unit.chunk === chunk);
  }

  *units(): Generator<UnitMeta> {
    for (const units of this.#units.values()) yield* units;
  }

  segmentsOf(day: Day): readonly SegmentMeta[] {
    return this.#segments.get(day) ?? [];
  }

  /** The segments of a unit's days that its published blocks don't contain. */
  newer(level: Level, bucket: Day): SegmentMeta[] {
    const units = this.unitsAt(level, bucket);
    const upTo = new Map(units.map((unit) => [unit.chunk, unit.upTo]));
    return this.#daysOf(level, bucket).flatMap((day) =>
      this.segmentsOf(day).filter(({ seq, chunk }) => seq > (upTo.get(chunk) ?? 0)),
    );
  }

  /** The rows of a unit with what is newer. */
  readonly cost: Cost = (level, bucket) => {
    const key = `${level}/${bucket}`;
    const known = this.#costs.get(key);
    if (known !== undefined) return known;
    const rows = [...this.unitsAt(level, bucket), ...this.newer(level, bucket)];
    const cost = rows.reduce((sum, one) => sum + one.rows, 0);
    this.#costs.set(key, cost);
    return cost;
  };

  /** Everything to read for these scans. Blocks that are both added and subtracted are left out. */
  resolve(scans: readonly Scan[]): Reading[] {
    const readings = new Map<UnitMeta | SegmentMeta, Reading>();
    const count = (key: UnitMeta | SegmentMeta, source: Reading['source'], sign: number) => {
      const before = readings.get(key);
      if (before) before.weight += sign;
      else readings.set(key, { source, weight: sign });
    };
    for (const { level, bucket, sign } of scans) {
      for (const unit of this.unitsAt(level, bucket)) if (unit.rows > 0) count(unit, { unit }, sign);
      for (const segment of this.newer(level, bucket)) count(segment, { segment }, sign);
    }
    return [...readings.values()].filter(({ weight }) => weight !== 0);
  }

  #daysOf(level: Level, bucket: Day): Day[] {
    if (this.#segments.size === 0) return [];
    if (level === 'total') return this.daysWithSegments;
    if (level === 'slot' || level === 'day') return [bucket];
    const { from, to } = unitOf(level, bucket);
    const days: Day[] = [];
    for (let day = from; day <= to; day++) if (this.#segments.has(day)) days.push(day);
    return days;
  }
}

/** Separates units that the store adds up by itself from blocks to read. */
export function splitByPlace(readings: readonly Reading[]): {
  far: { unit: UnitMeta; weight: number }[];
  near: Reading[];
} {
  const far: { unit: UnitMeta; weight: number }[] = [];
  const near: Reading[] = [];
  for (const reading of readings) {
    const { source, weight } = reading;
    if ('unit' in source && source.unit.body > 0) far.push({ unit: source.unit, weight });
    else near.push(reading);
  }
  return { far, near };
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
