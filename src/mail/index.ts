/**
 * What programs may import as `pismak/mail` (or `pismak-mail`): the same in the application and on the mail server.
 * Everything else in this folder may change from version to version.
 */

export { mail } from './house.ts';
export { type Contact, parseContact } from './model/address.ts';
export type { Attachment } from './model/attachment.ts';
export { checkMail, type MailFields, type MailInput, type MailState, mailFromJson } from './model/mail.ts';
export { type MailType, type MailTypeInput, mailType } from './model/mail-type.ts';
export type { MailSender, SentMail } from './senders/mail-sender.ts';
export { httpStore, type MailStore, memoryStore } from './senders/mail-store.ts';
export { type MailStatus, type Mails, openMails } from './senders/mails.ts';
export {
  httpSender,
  memorySender,
  openQueueSender,
  queueSender,
  sendmailSender,
  smtpSender,
} from './senders/senders.ts';
export { openDatabaseStore, openStoredSender } from './senders/stored-sender.ts';
export { parseMisbehaviour } from './sink/misbehaviour.ts';
export { openSink, type ReceivedMail, type Sink, type SinkOptions } from './sink/sink.ts';
export { type Envelope, SmtpConnection, type SmtpOptions } from './smtp/connection.ts';
export type { SmtpOutcome } from './smtp/outcome.ts';
export { parseServerUrl, type SmtpServer } from './smtp/server-url.ts';
