import type { Engine } from '../../engine/engine.ts';
import type { Relays } from './relays.ts';

const running = new WeakMap<object, Relays>();

/** Lets operations of this process see its relays. Returns how to forget them. */
export function keepRelays({ database }: Pick<Engine, 'database'>, relays: Relays): () => void {
  running.set(database, relays);
  return () => running.delete(database);
}

export function runningRelays({ database }: Pick<Engine, 'database'>): Relays | undefined {
  return running.get(database);
}
