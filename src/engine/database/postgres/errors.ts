import { serverDiskFull } from '../../disk/disk-reserve.ts';
import { PismakError } from '../../ground/errors.ts';

/** SQLSTATE of a broken unique or foreign key. */
const brokenKeys = ['23505', '23503'];
/** Serialisation failure, deadlock: a retry succeeds. */
const clashes = ['40001', '40P01'];
/** A lock was not free within the time that the transaction allows. */
const lockTimeout = '55P03';
/** What the operator must change, by the SQLSTATE of a refused connection. */
const refusals = new Map([
  ['28P01', 'it refuses the user or the password; correct the URL'],
  ['28000', 'it refuses the user from this host; check its pg_hba.conf'],
  ['3D000', 'it has no database of that name; create it'],
  ['42501', 'the user lacks a permission; grant it'],
]);
/** Values that SQLite stores and PostgreSQL doesn't: what the caller can do, by SQLSTATE. */
const unstorable = new Map([
  ['22021', 'A text contains the character NUL (U+0000), which PostgreSQL can’t store: remove it.'],
  ['22P05', 'A text contains the character NUL (U+0000), which PostgreSQL can’t store: remove it.'],
  ['22003', 'A number is larger than PostgreSQL can store here.'],
  ['54000', 'A text is too long for an index of PostgreSQL: shorten it.'],
]);
/** The server's disk is full. */
export const diskFullState = '53100';
/** SQLSTATE classes that concern the server, not the statement: connection, resources, operator, disk. */
const serverTrouble = /^(08|53|57|58|25006|F0)/;

/** The driver's message goes into `cause`: it is for the log, not for callers. */
export function postgresError(error: unknown): PismakError {
  if (error instanceof PismakError) return error;
  const state = stateOf(error);
  const cause = { cause: error };
  if (state === undefined) {
    return isConnectionTrouble(error)
      ? new PismakError('unavailable', 'PostgreSQL cannot be reached. Is it running?', cause)
      : new PismakError('internal', 'A query to PostgreSQL failed.', cause);
  }
  if (brokenKeys.includes(state)) {
    // The message names the table and the constraint; only `detail` contains values.
    return new PismakError(
      'constraint-violated',
      `The database refused the change: ${textOf(error)}.`,
      cause,
    );
  }
  const wrong = unstorable.get(state);
  if (wrong) return new PismakError('invalid-input', wrong, cause);
  const refusal = refusals.get(state);
  if (refusal)
    return new PismakError('configuration-invalid', `PostgreSQL cannot be used: ${refusal}.`, cause);
  if (clashes.includes(state)) {
    return new PismakError('conflict', 'Others kept changing the same data. Try again later.', cause);
  }
  if (state === lockTimeout)
    return new PismakError('unavailable', 'Another transaction takes too long. Try again later.', cause);
  if (state === diskFullState) return serverDiskFull(error);
  if (serverTrouble.test(state)) {
    return new PismakError('unavailable', `PostgreSQL is not available (${state}). Try again later.`, cause);
  }
  return new PismakError('internal', 'The database refused a statement.', cause);
}

/** Whether an immediate retry may succeed. */
export function isClash(error: unknown): boolean {
  return error instanceof PismakError && clashes.includes(stateOf(error.cause) ?? '');
}

/** The SQLSTATE of a server's answer; undefined for a failure on the way. */
function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'severity' in error && 'code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

/** The driver has no class for this: system errors have codes, its own errors only messages. */
function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string') return true;
  if (error instanceof AggregateError) return error.errors.some(isConnectionTrouble);
  return /connect|terminated|timeout|SSL|queryable|closed|pool/i.test(error.message);
}
