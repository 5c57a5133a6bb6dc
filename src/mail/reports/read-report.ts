import { PismakError } from '../../engine/ground/errors.ts';
import { isDeadAddress } from './dead-address-words.ts';

const mostAddresses = 50;
/** Reports quote the original mail last, and it may be long. */
export const longestReport = 256 * 1024;
/** Lines that may begin a part. A report has three parts, and the mail that it quotes a few more. */
const mostDelimiters = 500;
/** Each line costs the parser 7 µs, and 256 KB have room for 262,144. A quoted mail in Base64 has 3,400. */
const mostLines = 5_000;
/** The reason for a bounce is at the beginning. */
const longestText = 64 * 1024;

/** The contents of a returned mail. */
export interface Report {
  kind: 'bounce' | 'complaint' | 'other';
  /** A permanent failure, not a delay. */
  isReturned: boolean;
  /** The address will never work. */
  isDead: boolean;
  /** The reason, in the server's words. */
  reason: string;
  /** Recipients it may be about. */
  recipients: string[];
  /** Ids of our mails it may be about, from the address it was sent to and from the mail it quotes. */
  candidates: string[];
  /** May have been written by a person or by a mail program's unsubscribe button: not a bounce or an out-of-office reply. */
  isFromPerson: boolean;
}

/**
 * Reads delivery reports (RFC 3464), complaints (RFC 5965, and Outlook's, which keep to no standard), and bounces in the words of
 * qmail, Exim, Exchange and others.
 */
export async function readReport(content: Buffer, envelopeTo = ''): Promise<Report> {
  const parsed = await parse(
    upTo(mostLines, '\n', upTo(mostDelimiters, '\n--', content.subarray(0, longestReport))),
  );
  const part = (...types: string[]) => {
    const found = parsed.attachments.find(({ mimeType }) => types.includes(mimeType));
    return found ? Buffer.from(found.content as ArrayBuffer).toString() : undefined;
  };
  const head = headText(content.toString('latin1'));
  const { said, copy } = withoutCopy(
    parsed.text?.slice(0, longestText) ?? withoutTags(parsed.html?.slice(0, longestText) ?? ''),
  );
  const quoted = headText(
    part('message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers') ?? copy,
  );
  const feedback = part('message/feedback-report');
  const targets = [
    envelopeTo,
    ...(parsed.to ?? []).map(({ address }) => address ?? ''),
    parsed.deliveredTo ?? '',
    // Only the recipient of the mail knows its signed address.
    field(quoted, 'Return-Path'),
    field(feedback ?? '', 'Original-Mail-From'),
  ];
  const candidates = [...new Set([...targets.flatMap(tagOf), ...messageIds(quoted)])];
  const isNote = isAutomaticNote(head, parsed.subject ?? '');
  const isFromPerson = !isNote || /^\s*unsubscribe\s*$/i.test(parsed.subject ?? '');
  const basis = { isReturned: false, isDead: false, reason: '', candidates, isFromPerson };

  if (feedback !== undefined) {
    const type = field(feedback, 'Feedback-Type').toLowerCase();
    const recipients = addressesIn(field(feedback, 'Original-Rcpt-To'));
    // Other feedback types say that a mail is not spam, or report DMARC results.
    const kind = /^(not-spam|auth-failure|dmarc)$/.test(type) ? 'other' : 'complaint';
    return { ...basis, isFromPerson: false, kind, recipients, reason: type || 'complaint' };
  }
  if (/^\s*complaint about message from /i.test(parsed.subject ?? '') && quoted !== '') {
    const recipient = field(quoted, 'X-HmXmrOriginalRecipient') || field(quoted, 'To');
    return { ...basis, kind: 'complaint', recipients: addressesIn(recipient), reason: 'complaint' };
  }
  const delivery = part('message/delivery-status', 'message/global-delivery-status');
  if (delivery !== undefined) return { ...basis, ...readStatus(delivery, said), isFromPerson: false };

  const isFromServer =
    /mailer-daemon|postmaster|microsoftexchange/i.test(field(head, 'From')) ||
    (/^<>$|mailer-daemon/i.test(field(head, 'Return-Path')) && !isNote);
  const isBounce = isFromServer && !isVacation(parsed.subject ?? '');
  const recipients = addressesIn(said);
  if (!isBounce) return { ...basis, kind: 'other', recipients };
  const lines = said.split('\n').filter((line) => tellsWhy.test(line) || isDeadAddress(line));
  return {
    ...basis,
    kind: 'bounce',
    recipients,
    isFromPerson: false,
    isReturned: !/\b(delay(ed)?|warning)\b/i.test(parsed.subject ?? ''),
    isDead: isDeadAddress(lines.join('\n')),
    reason: (lines[0] ?? parsed.subject ?? '').trim().slice(0, 300),
  };
}

/** An SMTP answer, or an enhanced code. */
const tellsWhy = /(^|\s|:|\()[45]\d\d[ -]|\b[45]\.\d{1,3}\.\d{1,3}\b/;

/** The report that RFC 3464 describes: a group of fields for each recipient. */
function readStatus(delivery: string, said: string) {
  const actionOf = (group: string) => field(group, 'Action').toLowerCase();
  const groups = delivery.split(/\r?\n\r?\n/);
  const group = groups.find((one) => actionOf(one) === 'failed') ?? groups.find(actionOf) ?? delivery;
  const action = actionOf(group);
  const [status = ''] = /\d\.\d+\.\d+/.exec(field(group, 'Status')) ?? [];
  const diagnostic = field(group, 'Diagnostic-Code').replace(/^smtp;\s*/i, '');
  const hasArrived = /^(delivered|relayed|expanded)\b/.test(action) || status.startsWith('2');
  const isReturned = !hasArrived && action !== 'delayed';
  return {
    kind: hasArrived ? ('other' as const) : ('bounce' as const),
    isReturned,
    isDead: isReturned && isDeadAddress(diagnostic || said, status),
    recipients: addressesIn(`${field(group, 'Original-Recipient')} ${field(group, 'Final-Recipient')}`),
    reason: diagnostic || `${action} ${status}`,
  };
}

/**
 * The content before the mark comes once too often. Each part costs 10 µs, even if it is empty, and 256 KB have room for 40,000. What
 * counts is at the beginning.
 */
function upTo(most: number, mark: string, content: Buffer): Buffer {
  let at = -1;
  for (let found = 0; found < most; found++) {
    at = content.indexOf(mark, at + 1, 'latin1');
    if (at < 0) return content;
  }
  return content.subarray(0, at + 1);
}

async function parse(content: Buffer) {
  const { default: PostalMime } = await import('postal-mime');
  try {
    return await PostalMime.parse(content, {
      attachmentEncoding: 'arraybuffer',
      rfc822Attachments: true,
      forceRfc822Attachments: true,
    });
  } catch (error) {
    throw new PismakError('invalid-input', `not a mail: ${(error as Error).message}`);
  }
}

const beginOfCopy =
  /^[>\t ]{0,20}(\|?-{1,80} *(below this line|this is a copy|(un)?(sent|delivered|returned|original) message|the (header|body)|message (text|header)|original message|included is)|original message( |:)|message headers follow|(return-path|received|message-id):)/im;

/** Cuts off our own mail, which many bounces quote below their text. */
function withoutCopy(text: string): { said: string; copy: string } {
  const at = text.search(beginOfCopy);
  if (at < 0) return { said: text, copy: '' };
  const copy = text.slice(at);
  return { said: text.slice(0, at), copy: copy.slice(Math.max(0, copy.search(/^[\w-]+: /m))) };
}

function withoutTags(html: string): string {
  return html.replaceAll(/<(br|p|div|tr|h\d)\b[^<>]*>/gi, '\n').replaceAll(/<[a-z/!][^<>@]*>/gi, ' ');
}

/** An automatic reply that is not a report (RFC 3834). */
function isAutomaticNote(head: string, subject: string): boolean {
  return (
    !/^(no)?$/i.test(field(head, 'Auto-Submitted')) ||
    /^auto_reply$/i.test(field(head, 'Precedence')) ||
    field(head, 'X-Autoreply') !== '' ||
    isVacation(subject)
  );
}

function isVacation(subject: string): boolean {
  return /^\s*(auto(matic|mated)?[ -]?(reply|response)|auto:|out of (the )?office|automatická odpověď|abwesen|automatische antwort|réponse automatique)/i.test(
    subject,
  );
}

/** `bounce+TAG@example.org` */
function tagOf(address: string): string[] {
  const [, tag] = /\+([\w.-]+)@/.exec(address) ?? [];
  return tag === undefined ? [] : [tag];
}

/** Our Message-IDs begin with the mail's id. */
function messageIds(quoted: string): string[] {
  const [, id] = /<([\w-]+)@[^<>]+>/.exec(field(quoted, 'Message-ID')) ?? [];
  return id === undefined ? [] : [id];
}

function headText(mail: string): string {
  return mail.split(/\r?\n\r?\n/, 1)[0] ?? '';
}

function field(text: string, name: string): string {
  for (const [, other = '', value = ''] of text.matchAll(/^([^\s:]+):[ \t]*(.*(?:\r?\n[ \t].*)*)/gm))
    if (other.toLowerCase() === name.toLowerCase()) return value.replaceAll(/\r?\n[ \t]+/g, ' ').trim();
  return '';
}

const aroundAt = /[\s<>()[\],;:"'@]/;

/** Looks around each @: searching a megabyte of letters for an @ after each of them would take minutes. */
function addressesIn(text: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (let at = text.indexOf('@'); at >= 0 && found.length < mostAddresses; at = text.indexOf('@', at + 1)) {
    const name =
      text
        .slice(Math.max(from, at - 64), at)
        .split(aroundAt)
        .at(-1) ?? '';
    const [host = ''] = text.slice(at + 1, at + 1 + 254).split(aroundAt, 1);
    if (name === '' || host === '') continue;
    from = at + 1 + host.length;
    found.push(`${name}@${host}`.replace(/\.$/, ''));
  }
  return found;
}
