/** How long to wait for each answer: what RFC 5321, 4.5.3.2 asks of clients. */
export interface SmtpTimeouts {
  connectMs: number;
  greetingMs: number;
  commandMs: number;
  mailMs: number;
  recipientMs: number;
  dataMs: number;
  /** A block of the message has been written. */
  blockMs: number;
  /** The answer to the final dot. */
  finalMs: number;
}

const minute = 60_000;

export const standardTimeouts: SmtpTimeouts = {
  connectMs: minute / 2,
  greetingMs: 5 * minute,
  commandMs: 5 * minute,
  mailMs: 5 * minute,
  recipientMs: 5 * minute,
  dataMs: 2 * minute,
  blockMs: 3 * minute,
  finalMs: 10 * minute,
};
