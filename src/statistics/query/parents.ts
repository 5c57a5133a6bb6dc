import { chunkSize } from '../columns/block.ts';
import type { CubeView } from '../cube/cube-reader.ts';
import type { Attributes } from '../entities/attributes.ts';
import type { Kind } from '../schema/schemas.ts';
import type { Selection } from './select-entities.ts';
import type { TableSources } from './table.ts';

/** Rows of parents, and which row each entity belongs to. */
export interface Parents {
  rows: { key: string; attributes: Attributes | undefined }[];
  /** By ordinal; meaningful only for entities that the filter keeps. */
  rowOf: Int32Array;
}

const foundAtOnce = 8192;

/** Finds the ancestor of each kept entity, kind by kind upwards: a keyword's group, the group's campaign. */
export async function findParents(
  view: CubeView,
  { kind, groupBy, masks }: { kind: Kind; groupBy: string; masks: Selection['masks'] },
  { attributes, viewOf }: TableSources,
): Promise<Parents> {
  const path = kind.ancestors.slice(0, kind.ancestors.indexOf(groupBy) + 1);
  const ofKind = new Map<string, Map<string, Attributes>>();
  for (const ancestor of path) {
    const cube = await viewOf(ancestor);
    const rows = cube ? await attributes.all(cube.head, view.turns) : [];
    ofKind.set(ancestor, new Map(rows.map((row) => [row.key, row])));
  }
  const entities = await attributes.all(view.head, view.turns);
  const rowOf = new Int32Array(view.head.entities);
  const rows: Parents['rows'] = [];
  const known = new Map<string, number>();
  for (const [ordinal, entity] of entities.entries()) {
    if (ordinal % foundAtOnce === 0) await view.turns.next();
    if (masks && !masks.get(Math.floor(ordinal / chunkSize))?.[ordinal % chunkSize]) continue;
    let key = entity.parent;
    for (const ancestor of path.slice(0, -1)) key = ofKind.get(ancestor)?.get(key)?.parent ?? '';
    let row = known.get(key);
    if (row === undefined) {
      row = rows.length;
      known.set(key, row);
      rows.push({ key, attributes: ofKind.get(groupBy)?.get(key) });
    }
    rowOf[ordinal] = row;
  }
  return { rows, rowOf };
}
