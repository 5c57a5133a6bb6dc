import { PismakError } from '../ground/errors.ts';
import type { Hold } from './coordination.ts';

export function sessionExpired(session: string): PismakError {
  return new PismakError('session-lost', `Session ${session} has expired. Open a new one.`);
}

export function sessionClosed(session: string): PismakError {
  return new PismakError('session-lost', `Session ${session} is closed.`);
}

export function sessionUnknown(session: string): PismakError {
  return new PismakError('not-found', `There is no session ${session}.`);
}

export function nodeExists(path: string, cause?: unknown): PismakError {
  return new PismakError('node-exists', `${path} exists`, { details: { path }, cause });
}

/** `version` is the node's current version, null if it does not exist, undefined if the server did not say. */
export function nodeChanged(
  path: string,
  expected: number | undefined,
  version?: number | null,
  cause?: unknown,
): PismakError {
  return new PismakError('node-changed', `${path} ${describe(expected, version)}. Read it again.`, {
    details: { path, expected, version },
    cause,
  });
}

function describe(expected: number | undefined, version: number | null | undefined): string {
  if (version === null) return `does not exist, so it does not have version ${expected}`;
  // The version was read before the write: if it is the expected one, it says nothing.
  if (version === undefined || version === expected) return `does not have version ${expected} any more`;
  return `has version ${version}, not version ${expected}`;
}

export function holdLost(hold: Hold, cause?: unknown): PismakError {
  return new PismakError('hold-lost', `${hold.identity} does not hold ${hold.path} any more.`, {
    details: { path: hold.path, fence: hold.fence },
    cause,
  });
}
