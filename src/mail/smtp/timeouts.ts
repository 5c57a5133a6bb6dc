/** Timeouts for each reply, as RFC 5321, 4.5.3.2 requires. */
export interface SmtpTimeouts {
  connectMs: number;
  greetingMs: number;
  commandMs: number;
  mailMs: number;
  recipientMs: number;
  dataMs: number;
  /** For writing a block of the message. */
  blockMs: number;
  /** For the reply to the final dot. */
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
