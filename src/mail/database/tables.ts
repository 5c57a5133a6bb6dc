import type { Engine } from '../../engine/composition/engine.ts';
import type { Database, Queries } from '../../engine/database/database.ts';
import type { MailState } from '../model/mail.ts';

export const replyKinds = ['unsubscribed', 'complained'] as const;
export type ReplyKind = (typeof replyKinds)[number];

export interface MailTables {
  /** Every version of a type, so that a sent mail can be rendered again. */
  mail_type: { code: string; version: number; definition: string; createdAt: number; isCurrent: number };
  mail_mail: MailRow;
  mail_campaign: CampaignRow;
  /** Addresses that get no mails of a class; of any class if it is empty. */
  mail_suppressed: { address: string; class: string; reason: string; createdAt: number };
  /** Idempotency keys of `mail.send`. */
  mail_request: { owner: string; key: string; mail: string; createdAt: number };
  mail_file: { path: string; mail: string };
  /** When addresses were erased. The key is their hash. */
  mail_erased: { key: string; at: number };
  /** Whole mails that were cancelled in their queue. */
  mail_cancelled: { mail: string; at: number };
  /** Unsubscriptions and complaints about mails of a campaign. */
  mail_reply: { campaign: string; mail: string; kind: ReplyKind; variant: string };
  mail_secret: { name: string; value: string };
}

export interface MailRow {
  id: string;
  owner: string;
  type: string;
  version: number;
  class: string;
  /** Normalised, as suppressions name it; `fields` has it as written. */
  recipient: string;
  /** `MailFields` as JSON: name, overrides, data, the application's own fields. */
  fields: string;
  language: string;
  state: MailState;
  /** Attempts that a relay answered. */
  attempts: number;
  /**
   * How often a sender took the mail. A sender died with it `takes - attempts` times (one less while it is `sending`), and each time
   * it may have been sent twice: `campaign show` adds these up.
   */
  takes: number;
  /** Attempts after which the relay may have had the mail without confirming it. */
  unknowns: number;
  campaign: string;
  variant: string;
  createdAt: number;
  notAfter: number;
  changedAt: number;
  sentAt: number | null;
  /** URL without password of the relay that answered last; '' if none. */
  relay: string;
  answer: string;
}

export interface CampaignRow {
  id: string;
  owner: string;
  name: string;
  type: string;
  version: number;
  state: string;
  /** JSON: the sources of recipients, and how far they are read. */
  audience: string;
  source: number;
  position: number;
  read: number;
  generated: number;
  repeated: number;
  refused: number;
  startAt: number;
  after: string;
  problem: string;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

export type MailDatabase = Database<MailTables>;

export function mailDatabase({ database }: Pick<Engine, 'database'>): MailDatabase {
  return database.withTables<MailTables>();
}

export function mailQueries(engine: Pick<Engine, 'database'>): Queries<MailTables> {
  return mailDatabase(engine).query;
}
