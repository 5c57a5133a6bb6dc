import type { Sentence, SentenceCode } from './sentence.ts';
import { longestMessage, shorten } from './shorten.ts';

/**
 * The only table of error codes. A code is a promise to callers: its meaning never changes, and its HTTP status is defined
 * only here.
 */
export const errorStatus = {
  'invalid-input': 400,
  'not-signed-in': 401,
  forbidden: 403,
  'not-found': 404,
  'too-slow': 408,
  'already-exists': 409,
  conflict: 409,
  'too-large': 413,
  'too-many-requests': 429,
  'quota-exceeded': 429,
  internal: 500,
  unavailable: 503,
  'took-too-long': 503,
  'disk-full': 507,

  'queue-unknown': 404,
  'queue-full': 503,
  'queue-broken': 503,
  'message-too-large': 413,
  'request-invalid': 400,
  'stage-unknown': 400,
  'processor-unknown': 400,
  'processor-failed': 500,
  'processor-crashed': 500,
  'processor-timeout': 500,

  'node-changed': 409,
  'node-exists': 409,
  'hold-lost': 409,
  'session-lost': 503,

  'blob-missing': 404,
  'blob-corrupt': 500,
  'constraint-violated': 409,
  'data-directory-in-use': 409,
  'configuration-invalid': 400,
} as const;

/** The error for programs to read. */
export type ErrorCode = keyof typeof errorStatus;

/**
 * An error with a stable code and a message that a user can act on. `details` goes to the user unchanged. A message that is a
 * sentence can be said in other languages.
 */
export class PismakError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly sentence: SentenceCode | undefined;

  constructor(
    code: ErrorCode,
    text: string | Sentence,
    options: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(
      typeof text === 'string' ? text : text.message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'PismakError';
    this.code = code;
    this.details = options.details;
    this.sentence = typeof text === 'string' ? undefined : { code: text.code, parameters: text.parameters };
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** Whether this is a `PismakError` with this code. */
export function hasCode(error: unknown, code: ErrorCode): error is PismakError {
  return error instanceof PismakError && error.code === code;
}

/** The message of any thrown value, for logs and reasons. A processor may throw anything, so it is shortened. */
export function messageOf(error: unknown): string {
  return shorten(error instanceof Error ? error.message : String(error), 2 * longestMessage);
}
