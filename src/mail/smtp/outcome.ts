/**
 * How the transfer of one mail to a relay ended.
 *
 * - `sent`: the relay has taken responsibility.
 * - `deferred`: the relay said "not now" (4xx). Nothing was accepted.
 * - `failed`: the relay said "never" (5xx), or cannot carry this mail.
 * - `unsent`: the connection ended before the final dot was written. Nothing was accepted.
 * - `early`: the server can't hold the mail until its date, and nothing was said about it.
 * - `unknown`: the connection ended between the final dot and the answer. The relay may have taken the mail.
 */
export type SmtpOutcome =
  | { kind: 'sent'; answer: string }
  | {
      kind: 'deferred' | 'failed';
      answer: string;
      code: number;
      enhanced?: string | undefined;
      /** Known from the server's extensions, without asking it. Another server may be able to carry the mail. */
      isUnasked?: true;
    }
  | { kind: 'unsent' | 'early' | 'unknown'; answer: string };

export interface Reply {
  code: number;
  /** Without the code, lines joined by a space. */
  text: string;
  lines: readonly string[];
}

export function outcomeOf(reply: Reply): SmtpOutcome {
  const answer = `${reply.code} ${reply.text}`.slice(0, 500);
  if (reply.code >= 200 && reply.code < 300) return { kind: 'sent', answer };
  // Same class as the code, and not part of an IP address.
  const codes = reply.text.matchAll(/(?<![\d.])\d(?:\.\d{1,3}){2}(?!\d|\.\d)/g).map(([code]) => code);
  const enhanced = codes.find((code) => code.startsWith(`${Math.floor(reply.code / 100)}.`));
  const kind = reply.code >= 400 && reply.code < 500 ? 'deferred' : 'failed';
  return { kind, answer, code: reply.code, enhanced };
}

/** The mailbox or the domain does not exist, or was disabled. */
const deadCode = /^5\.1\.(1|2|3|6|10)$|^5\.2\.1$/;

/** Whether this enhanced status code (RFC 3463) means that the address will never work. */
export function isDeadCode(enhanced: string): boolean {
  return deadCode.test(enhanced);
}
