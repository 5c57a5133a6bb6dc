/** Why a call failed. `code` is the server's, or `unreachable`; `message` is English, for details. */
export class CallError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** What the log of the server calls this call. */
  readonly requestId: string | undefined;

  constructor(parts: {
    code: string;
    message: string;
    status: number;
    details?: Record<string, unknown>;
    requestId?: string | undefined;
  }) {
    super(parts.message);
    this.name = 'CallError';
    this.code = parts.code;
    this.status = parts.status;
    this.details = parts.details ?? {};
    this.requestId = parts.requestId;
  }

  /** What is wrong with single fields of the input, by the path of the field. */
  get fields(): Record<string, string> {
    const issues = Array.isArray(this.details.issues) ? this.details.issues : [];
    return Object.fromEntries(issues.map(({ path, message }) => [String(path), String(message)]));
  }
}

/** The error of an answer; a proxy between us may have written it, so nothing is certain about its body. */
export async function errorOf(response: Response): Promise<CallError> {
  const { status } = response;
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const body = (await response.json().catch(() => undefined)) as
    | { error?: { code?: string; message?: string; details?: Record<string, unknown> } }
    | undefined;
  const { code, message, details } = body?.error ?? {};
  if (code !== undefined && message !== undefined)
    return new CallError({ code, message, status, requestId, ...(details && { details }) });
  const unnamed = status === 502 || status === 503 || status === 504 ? 'unavailable' : 'internal';
  return new CallError({
    code: unnamed,
    message: `HTTP ${status} ${response.statusText}`,
    status,
    requestId,
  });
}
