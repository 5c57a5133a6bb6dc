import { isSystemError, reasonOf } from '../engine/files/system-error.ts';
import { errorStatus, messageOf, PismakError } from '../engine/ground/errors.ts';
import { printableLines } from './output/printable.ts';

export const exitCodes = { ok: 0, failed: 1, usage: 2, notFound: 3, stopped: 4, interrupted: 130 } as const;

/** Ends a command with this exit code, without a message: it has already said why. */
export class EndsWith extends Error {
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

export const exitCodesHelp = `
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 not found or not reachable, 4 a worker ended by "worker stop", 130 interrupted.`;

const usage = new Set(['invalid-input', 'configuration-invalid']);
const notFound = new Set(['stage-unknown', 'processor-unknown', 'unavailable']);

export function exitCodeOf(error: unknown): number {
  if (isInterruption(error)) return exitCodes.interrupted;
  if (!(error instanceof PismakError)) return exitCodes.failed;
  if (usage.has(error.code)) return exitCodes.usage;
  return notFound.has(error.code) || errorStatus[error.code] === 404 ? exitCodes.notFound : exitCodes.failed;
}

/** The error message for the user, with a stack trace only if PISMAK_DEBUG is set. */
export function describeError(error: unknown, debug: boolean): string {
  if (debug && error instanceof Error) return `pismak: ${error.stack ?? error.message}`;
  if (isInterruption(error)) return 'pismak: interrupted';
  if (isSystemError(error, 'ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EFBIG'))
    return fileTrouble(error as NodeJS.ErrnoException);
  const code = error instanceof PismakError ? ` (${error.code})` : ' (unexpected; PISMAK_DEBUG=1 shows more)';
  return `pismak: ${printableLines(messageOf(error))}${code}`;
}

/** An error of the operating system, not a bug. */
function fileTrouble(error: NodeJS.ErrnoException): string {
  const place = error.path === undefined ? '' : `${error.path}: `;
  return `pismak: ${printableLines(`${place}${reasonOf(error)}`)}; PISMAK_DEBUG=1 shows more`;
}

function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
