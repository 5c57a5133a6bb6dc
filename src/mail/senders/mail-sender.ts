import type { MailFields, MailInput } from '../model/mail.ts';

/** Sends mails: to a relay, a queue, another machine, or nowhere. All senders are interchangeable. */
export interface MailSender {
  /** Resolves when the relay, queue or mail server has accepted the mail; otherwise rejects with the reason. */
  send(mail: MailInput | MailFields): Promise<SentMail>;
  close(): Promise<void>;
}

export interface SentMail {
  id: string;
  /** The answer of the relay or server, if any. */
  answer?: string | undefined;
}
