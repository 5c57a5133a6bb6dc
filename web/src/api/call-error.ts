import type { Sentence } from '../text/say.ts';

/** One field of the input that breaks a rule; the rule as a sentence, too. */
interface Issue extends Partial<Sentence> {
  path: string;
  message: string;
}

/** Why a call failed. `code` is the server's, or `unreachable`; `message` is English, for details. */
export class CallError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** The same for programs, so that it can be said in another language. */
  readonly sentence: Sentence | undefined;

  constructor(parts: {
    code: string;
    message: string;
    status: number;
    details?: Record<string, unknown>;
    sentence?: Sentence | undefined;
  }) {
    super(parts.message);
    this.name = 'CallError';
    this.code = parts.code;
    this.status = parts.status;
    this.details = parts.details ?? {};
    this.sentence = parts.sentence;
  }

  /** Under which the log of the server has the details of an unexpected failure. */
  get requestId(): string | undefined {
    return typeof this.details.id === 'string' ? this.details.id : undefined;
  }

  /** What is wrong with single fields of the input. */
  get issues(): readonly Issue[] {
    return Array.isArray(this.details.issues) ? (this.details.issues as Issue[]) : [];
  }
}

/** The error of an answer; a proxy between us may have written it, so nothing is certain about its body. */
export async function errorOf(response: Response): Promise<CallError> {
  const { status } = response;
  const body = (await response.json().catch(() => undefined)) as
    | { error?: { code?: string; message?: string; sentence?: Sentence; details?: Record<string, unknown> } }
    | undefined;
  const { code, message, sentence, details } = body?.error ?? {};
  if (code !== undefined && message !== undefined)
    return new CallError({ code, message, status, sentence, ...(details && { details }) });
  const unnamed = status === 502 || status === 503 || status === 504 ? 'unavailable' : 'internal';
  return new CallError({ code: unnamed, message: `HTTP ${status} ${response.statusText}`, status });
}
