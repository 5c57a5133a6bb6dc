import { PismakError } from '../../engine/ground/errors.ts';
import { formatContact } from '../model/address.ts';
import { checkDesign } from '../model/design.ts';
import { checkMail, type MailFields, type MailInput, type MailState, mailFromJson } from '../model/mail.ts';
import { callServer, type MailStore } from './mail-store.ts';

/** Makes mails from a type, an id or JSON. */
export interface Mails {
  /** Makes a mail of this type, and fails now if the type or design is unknown. */
  create(code: string, mail: Omit<MailInput, 'type' | 'to'> & { to: MailInput['to'] }): Promise<MailFields>;
  /** A mail stored on a mail server. */
  byId(id: string): Promise<MailFields>;
  fromJson(text: string): MailFields;
  /** State of a mail stored on a mail server. */
  status(id: string): Promise<MailStatus>;
}

export interface MailStatus {
  id: string;
  state: MailState;
  attempts: number;
  createdAt: number;
  sentAt: number | null;
  /** Last answer of a relay. */
  answer: string;
  /** The online version. Its last part is the token. */
  onlineUrl: string;
}

export function openMails(parts: { store: MailStore; server?: { url: string; key: string } }): Mails {
  const show = async (id: string, what: string) => {
    const { server } = parts;
    if (!server)
      throw new PismakError('configuration-invalid', `${what} needs the URL and key of a mail server`);
    const path = `mail/show?mail=${encodeURIComponent(id)}`;
    return (await callServer(server.url, server.key, path)) as MailStatus & { fields: unknown };
  };
  return {
    async create(code, mail) {
      const type = await parts.store.type(code);
      const fields = checkMail({ language: type.language, ...mail, type: code });
      checkDesign(type, fields.design);
      return fields;
    },
    async byId(id) {
      return checkMail((await show(id, 'byId')).fields);
    },
    fromJson: mailFromJson,
    async status(id) {
      const { state, attempts, createdAt, sentAt, answer, onlineUrl } = await show(id, 'status');
      return { id, state, attempts, createdAt, sentAt, answer, onlineUrl };
    },
  };
}

/** The input of `mail.send`: contacts as text, the application's fields in `fields`. */
export function asInput(mail: MailFields): Record<string, unknown> {
  const { type, to, sender, subject, bcc, attachments, data, language, design, ...fields } = mail;
  return JSON.parse(
    JSON.stringify({
      type,
      to: formatContact(to),
      subject,
      attachments,
      data,
      language,
      design,
      sender: sender && formatContact(sender),
      bcc: bcc?.map(formatContact),
      ...(Object.keys(fields).length > 0 && { fields }),
    }),
  );
}
