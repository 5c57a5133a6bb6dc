import type { Delivery } from '../../engine/broker/broker.ts';
import type { MailFields } from '../model/mail.ts';
import type { Verdict } from './judge.ts';
import type { TakenMail } from './take-mails.ts';

/**
 * Where the mails of a message are kept, and where their results go: rows of the database (`row-mails.ts`), or the message
 * itself (`whole-mails.ts`). `Named` is what the message holds of a mail: its id, or all of it.
 *
 * Mails that are taken together are recorded together. The sender may be killed at any point in between: what it had taken
 * is taken again, and `takes` grows beyond `attempts`.
 */
export interface MailSource<Named> {
  /**
   * True: mails are taken while others are being sent, so that relays need not wait for the disk. False: they are taken just
   * before they are sent, so that a cancellation is noticed as late as possible.
   */
  readonly takesAhead: boolean;
  /** Claims mails for this sender. Omits mails that have ended or that another message holds. */
  take(named: readonly Named[], delivery: Delivery): Promise<Taken<Named>[]>;
  /** Stores data that a `prepare` module completed, before it is sent: the next attempt sends the same. */
  keepFields(mail: MailToSend): Promise<void>;
  /** Stores what became of the mails. Resolves, when that is safe, to what the sender must do with their message. */
  record(ended: readonly Ended<Named>[], delivery: Delivery): Promise<Settlement>;
}

export type MailToSend = TakenMail & {
  /** `fields`, read. */
  parsed: MailFields;
  /** The address that the relay gets: not the recipient's, if the mail is a copy for somebody else. */
  destination: string;
  isCancelled?: boolean;
};

/** A mail to send, or one that is already decided. */
export type Taken<Named> = { named: Named } & ({ mail: MailToSend } | { end: End });

export type Ended<Named> = { named: Named; mail?: MailToSend; end: End };

export type End =
  | { verdict: Verdict; relay: string }
  /** The sender stopped before the mail was begun. */
  | 'stopped'
  /** Its recipient was erased: nothing of it may stay. */
  | 'erased'
  /** A fault of neither the mail nor a relay. */
  | { error: unknown };

/** How to settle a message once its mails have ended. */
export type Settlement =
  | 'ack'
  | 'release'
  | { retry: { delayMs: number; reason: string } }
  | { deadLetter: string };
