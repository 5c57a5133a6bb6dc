import { PismakError } from '../../errors.ts';

/** SQLSTATE of a broken unique or foreign key. */
const brokenKeys = ['23505', '23503'];
/** Serialisation failure, deadlock: the same work succeeds when done again. */
const clashes = ['40001', '40P01'];
/** What an operator must change, by the SQLSTATE with which a connection is refused. */
const refusals = new Map([
  ['28P01', 'it refuses the user or the password'],
  ['28000', 'it refuses the user from here: see its pg_hba.conf'],
  ['3D000', 'it has no database of that name: create it'],
  ['42501', 'the user lacks a right: grant it'],
]);
/** Classes of SQLSTATE that are about the server, not the statement: connection, resources, operator, disk. */
const serverTrouble = /^(08|53|57|58|25006|F0)/;

/** The driver's own words go into `cause`: they are for the log, not for callers. */
export function postgresError(error: unknown): PismakError {
  if (error instanceof PismakError) return error;
  const state = stateOf(error);
  const cause = { cause: error };
  if (state === undefined) {
    return isConnectionTrouble(error)
      ? new PismakError('unavailable', 'PostgreSQL cannot be reached: is it running?', cause)
      : new PismakError('internal', 'PostgreSQL could not be asked', cause);
  }
  if (brokenKeys.includes(state)) {
    // The message names table and constraint; values stand in `detail` only.
    return new PismakError('constraint-violated', `The database refuses the change: ${textOf(error)}`, cause);
  }
  const refusal = refusals.get(state);
  if (refusal)
    return new PismakError('configuration-invalid', `PostgreSQL cannot be used: ${refusal}`, cause);
  if (clashes.includes(state)) {
    return new PismakError('conflict', 'Others changed the same data again and again: try later', cause);
  }
  if (serverTrouble.test(state)) {
    return new PismakError('unavailable', `PostgreSQL cannot do it now (${state})`, cause);
  }
  return new PismakError('internal', 'The database refused a statement', cause);
}

/** Whether the same work may succeed when done again at once. */
export function isClash(error: unknown): boolean {
  return error instanceof PismakError && clashes.includes(stateOf(error.cause) ?? '');
}

/** Five characters for what the server answered, nothing for what happened on the way to it. */
function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'severity' in error && 'code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

/** The driver has no class for it: system errors have codes, its own only words. */
function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string') return true;
  if (error instanceof AggregateError) return error.errors.some(isConnectionTrouble);
  return /connect|terminated|timeout|SSL|queryable|closed|pool/i.test(error.message);
}
