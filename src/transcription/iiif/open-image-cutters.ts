import type { Engine } from '../../engine/engine.ts';
import type { ImageCutters } from './cut-image.ts';

/** Engines whose images somebody has looked at. */
const opened = new WeakMap<Engine['database'], Promise<ImageCutters>>();

export function openImageCutters({
  database,
  clock,
}: Pick<Engine, 'database' | 'clock'>): Promise<ImageCutters> {
  const cutters =
    opened.get(database) ?? import('./cut-image.ts').then(({ ImageCutters }) => new ImageCutters(clock));
  opened.set(database, cutters);
  return cutters;
}

export async function closeImageCutters({ database }: Pick<Engine, 'database'>): Promise<void> {
  (await opened.get(database))?.close();
}
