import { z } from 'zod';
import type { Role } from '../ground/caller.ts';
import { PismakError } from '../ground/errors.ts';
import { stageName } from './stage.ts';

/**
 * Pipelines and output queues that a user creates are named `OWNER/NAME`, so that no user takes a name away from another user,
 * an administrator or a house. A user writes just `NAME`. Names without an owner belong to the installation: only
 * administrators create them, and programs that know only the broker see queues under exactly these names.
 */
export const ownedName = z
  .string()
  .regex(
    /^([a-z0-9][a-z0-9._@-]{0,63}\/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'a name is 1 to 100 letters, digits, dots, dashes or underscores, and starts with a letter or digit; a thing of another user is named OWNER/NAME',
  );

/** The user that a thing is named for. */
export interface Namer {
  owner: string;
  role?: Role | undefined;
}

/** The full name of a new thing. Users can't name it for somebody else. */
export function newName(by: Namer, name: string): string {
  const [owner, rest] = splitName(name);
  if (by.role === 'admin') return name;
  if (owner !== undefined && owner !== by.owner) {
    throw new PismakError(
      'forbidden',
      `${name} would belong to ${owner}; write ${rest} to name one of yours`,
    );
  }
  stageName.parse(rest);
  return `${by.owner}/${rest}`;
}

/** The full names that a caller may mean by this one, most likely first. */
export function meantNames(by: Namer | undefined, name: string): string[] {
  if (!by || by.role === 'admin' || name.includes('/')) return [name];
  return [`${by.owner}/${name}`, name];
}

/** `anna/results`: the owner `anna` and the rest `results`. */
export function splitName(name: string): [owner: string | undefined, rest: string] {
  const slash = name.indexOf('/');
  return slash < 0 ? [undefined, name] : [name.slice(0, slash), name.slice(slash + 1)];
}
