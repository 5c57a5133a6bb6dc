import { PismakError } from './errors.ts';
import { defineSentences } from './sentence.ts';

/** Who made the version that a thing has now. */
export interface NewestVersion {
  /** A number, or a hash of the content. */
  version: number | string;
  /** Null: not recorded. */
  changedBy: string | null;
  changedAt: number | null;
}

/**
 * Refuses a change that started from another version: its author hasn't seen what a colleague has changed since. `thing` is how
 * people call it: `stage recognise`.
 */
export function checkBase(thing: string, base: number | string | undefined, newest: NewestVersion): void {
  if (base !== undefined && base !== newest.version) throw changedSince(thing, base, newest);
}

export function changedSince(thing: string, base: number | string, newest: NewestVersion): PismakError {
  const { version, changedBy, changedAt } = newest;
  return new PismakError('conflict', say('changed-since', { thing, base, version, changedBy }), {
    details: { base, version, changedBy, changedAt },
  });
}

const say = defineSentences({
  'changed-since': (it: {
    thing: string;
    base: number | string;
    version: number | string;
    changedBy: string | null;
  }) =>
    `${it.thing} has version ${it.version}, not ${it.base}: ${it.changedBy ?? 'somebody'} has changed it; read it again`,
});
