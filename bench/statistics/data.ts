import { seededRandom } from '../../src/engine/simulation/chance.ts';

/** The rows of one user and one day, in the order of split and entity. */
export interface DayRows {
  day: number;
  entities: Int32Array;
  splits: Uint8Array;
  /** impressions, clicks, cost, conversions */
  values: Int32Array[];
}

export interface Shape {
  entities: number;
  days: number;
  firstDay: number;
  seed: number;
}

/**
 * An entity is active for four weeks or not at all, and then on most days: 50,000 entities in two years give 20 million rows
 * of days, 3.6 million of weeks and 0.9 million of months.
 */
const activity = 0.324;
const presence = 0.85;
const stretch = 28;

/** The same rows whenever they are asked for, so that every engine gets the same data and none has to keep it. */
export function dayRows({ entities: count, firstDay, seed }: Shape, index: number): DayRows {
  const random = seededRandom(seed * 100_003 + index);
  const lasting = seededRandom(seed * 7 + Math.floor(index / stretch));
  const entities: number[] = [];
  const splits: number[] = [];
  for (let split = 0; split < 2; split++)
    for (let entity = 0; entity < count; entity++)
      if (lasting() < activity && random() < presence) {
        entities.push(entity);
        splits.push(split);
      }
  const rows = entities.length;
  const values = [0, 1, 2, 3].map(() => new Int32Array(rows));
  for (let row = 0; row < rows; row++) {
    // A few entities do most of the business.
    const size = 1 + (((entities[row] as number) * 7919) % 1000);
    const impressions = Math.floor(random() * size) + 1;
    const clicks = Math.floor(impressions * 0.05 * random());
    (values[0] as Int32Array)[row] = impressions;
    (values[1] as Int32Array)[row] = clicks;
    (values[2] as Int32Array)[row] = clicks * (100 + Math.floor(random() * 900));
    (values[3] as Int32Array)[row] = random() < 0.02 ? clicks : 0;
  }
  return {
    day: firstDay + index,
    entities: Int32Array.from(entities),
    splits: Uint8Array.from(splits),
    values,
  };
}
