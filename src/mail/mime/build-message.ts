import { type Contact, domainOf } from '../model/address.ts';
import { type DkimKey, dkimSignature } from './dkim.ts';
import { encodedContact, encodedText, type Header, header, writeHeaders } from './headers.ts';
import { messageMemory } from './message-memory.ts';
import type { Skeleton } from './skeleton.ts';

export interface MessageParts {
  /** Stable across attempts: receivers recognise a repeated mail by the Message-ID made of it. */
  id: string;
  from: Contact;
  to: Contact;
  content: EncodedContent;
  language: string;
  createdAt: number;
  /** Adds one-click unsubscription (RFC 8058). */
  unsubscribeUrl?: string | undefined;
  /** Adds unsubscription by mail, for mail programs without one-click. */
  unsubscribeAddress?: string | undefined;
  /** Asks for no automatic replies, for newsletters. */
  isBulk: boolean;
}

/** What a mail carries: html and text in quoted-printable. */
export interface EncodedContent {
  subject: string;
  html: Buffer;
  text: Buffer;
}

/** The bytes of a mail. Fails if signing fails: unsigned mails must not be sent. */
export async function buildMessage(
  parts: MessageParts,
  skeleton: Skeleton,
  key: DkimKey | undefined,
): Promise<Buffer> {
  const { subject, text, html } = parts.content;
  const headers: Header[] = [
    header('From', encodedContact(parts.from)),
    header('To', encodedContact(parts.to)),
    header('Subject', encodedText(subject)),
    header('Date', formatDate(parts.createdAt)),
    header('Message-ID', messageId(parts.id, parts.from)),
    header('Content-Language', parts.language),
  ];
  if (parts.unsubscribeUrl !== undefined) {
    const address = parts.unsubscribeAddress;
    const mailto = address === undefined ? '' : `,\r\n <mailto:${address}?subject=unsubscribe>`;
    headers.push(header('List-Unsubscribe', `<${parts.unsubscribeUrl}>${mailto}`));
    headers.push(header('List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'));
  }
  headers.push(parts.isBulk ? ['Precedence', 'bulk'] : ['Auto-Submitted', 'auto-generated']);
  headers.push(...skeleton.headers);
  const body = [skeleton.before, text, skeleton.between, html, skeleton.after];
  const signature = key
    ? writeHeaders([await dkimSignature(headers, Buffer.concat(body), key, parts.createdAt)])
    : '';
  return joined(`${signature}${writeHeaders(headers)}\r\n`, body);
}

function joined(head: string, body: readonly Buffer[]): Buffer {
  let length = Buffer.byteLength(head);
  for (const part of body) length += part.length;
  const message = messageMemory(length);
  let at = message.write(head);
  for (const part of body) at += part.copy(message, at);
  return message;
}

export function messageId(id: string, from: Contact): string {
  return `<${id}@${domainOf(from.address)}>`;
}

/** RFC 5322: `Mon, 16 Nov 2026 06:00:00 +0000`. Cached, because mails of a campaign share their second. */
function formatDate(time: number): string {
  const second = Math.floor(time / 1000);
  if (second !== lastDate.second)
    lastDate = { second, text: new Date(time).toUTCString().replace('GMT', '+0000') };
  return lastDate.text;
}
let lastDate = { second: Number.NaN, text: '' };
