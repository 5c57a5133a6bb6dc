/** A request that got no usable answer. */
export class FetchFailure extends Error {
  readonly kind: string;
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;
  /** The server closed an idle connection just as it was reused, which says nothing about the server or the page. */
  readonly wasIdle: boolean;

  constructor(
    kind: string,
    { isTemporary, wasIdle = false, cause }: { isTemporary: boolean; wasIdle?: boolean; cause?: unknown },
  ) {
    super(kind, { cause });
    this.kind = kind;
    this.isTemporary = isTemporary;
    this.wasIdle = wasIdle;
  }
}

const permanent = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

export function failureOf(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error;
  const code = (error as { code?: string }).code ?? '';
  if (/TIMEOUT|TIMEDOUT/.test(code)) return new FetchFailure('timeout', { isTemporary: true, cause: error });
  if (code === 'ECONNREFUSED') return new FetchFailure('refused', { isTemporary: true, cause: error });
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return new FetchFailure('certificate', { isTemporary: !permanent.has(code), cause: error });
  if (/HPE_|CONTENT_LENGTH|ERR_HEADERS|PARSER/.test(code))
    return new FetchFailure('broken answer', { isTemporary: false, cause: error });
  return new FetchFailure('connection lost', { isTemporary: true, cause: error });
}
