import type { MailFields, MailInput } from '../model/mail.ts';

/** Where a mail goes from here: to a relay, a queue, another machine, or nowhere. They can be exchanged for each other. */
export interface MailSender {
  /** Resolves when the next one is responsible: the relay, the queue, the mail server. Rejects with the reason otherwise. */
  send(mail: MailInput | MailFields): Promise<SentMail>;
  close(): Promise<void>;
}

export interface SentMail {
  id: string;
  /** What the relay or the server said, if it said something. */
  answer?: string | undefined;
}
