import { PismakError } from '../../engine/errors.ts';

/** What a mail that came back says. */
export interface Report {
  kind: 'bounce' | 'complaint' | 'other';
  /** A bounce for good: the address will never work. */
  isPermanent: boolean;
  /** 5.1.1, as far as it says. */
  status: string;
  /** Why, in the words of the server. */
  reason: string;
  /** The recipient that it is about, as far as it says. */
  recipient: string;
  /** Ids of our mails that it may be about: from the address it came to, and from the mail that it quotes. */
  candidates: string[];
  /** No person wrote it: an out-of-office note, a bounce. */
  isAutomatic: boolean;
}

/**
 * Reads delivery reports (RFC 3464), complaints (RFC 5965), and the bounces of servers that keep to no standard, which are
 * believed only if the address they came to names a mail of ours.
 */
export async function readReport(content: Buffer, envelopeTo = ''): Promise<Report> {
  const { default: PostalMime } = await import('postal-mime');
  let parsed: Awaited<ReturnType<typeof PostalMime.parse>>;
  try {
    parsed = await PostalMime.parse(content, {
      attachmentEncoding: 'arraybuffer',
      rfc822Attachments: true,
      forceRfc822Attachments: true,
    });
  } catch (error) {
    throw new PismakError('invalid-input', `not a mail: ${(error as Error).message}`);
  }
  const part = (type: string) => {
    const found = parsed.attachments.find(({ mimeType }) => mimeType === type);
    return found ? Buffer.from(found.content as ArrayBuffer).toString() : undefined;
  };
  const quoted = part('message/rfc822') ?? part('text/rfc822-headers') ?? '';
  const targets = [
    envelopeTo,
    ...(parsed.to ?? []).map(({ address }) => address ?? ''),
    parsed.deliveredTo ?? '',
  ];
  const named = targets.flatMap((address) => tagOf(address));
  const candidates = [...new Set([...named, ...messageIds(quoted)])];
  const isAutomatic = !/^(no)?$/i.test(field(headText(content), 'Auto-Submitted'));
  const basis = { isPermanent: false, status: '', reason: '', recipient: '', candidates, isAutomatic };

  const feedback = part('message/feedback-report');
  if (feedback !== undefined) {
    const recipient = addressIn(field(feedback, 'Original-Rcpt-To'));
    return {
      ...basis,
      kind: 'complaint',
      recipient,
      reason: field(feedback, 'Feedback-Type') || 'complaint',
    };
  }
  const delivery = part('message/delivery-status');
  if (delivery !== undefined) {
    const status = field(delivery, 'Status');
    const action = field(delivery, 'Action').toLowerCase();
    return {
      ...{ ...basis, kind: 'bounce', status, isPermanent: action === 'failed' && status.startsWith('5') },
      recipient: addressIn(field(delivery, 'Original-Recipient') || field(delivery, 'Final-Recipient')),
      reason: field(delivery, 'Diagnostic-Code').replace(/^smtp;\s*/i, '') || `${action} ${status}`,
    };
  }
  const text = `${parsed.text ?? ''}\n${parsed.html ?? ''}`;
  const [status = ''] = /\b5\.\d{1,3}\.\d{1,3}\b/.exec(text) ?? [];
  const permanent =
    /\b(55[0134]|permanent(ly)? (error|fail)|user unknown|no such (user|mailbox|address)|does not exist|invalid recipient)\b/i.exec(
      text,
    );
  const fromSystem =
    /mailer-daemon|postmaster/i.test(parsed.from?.address ?? '') ||
    field(headText(content), 'Return-Path') === '<>';
  if (named.length === 0 || !fromSystem) return { ...basis, kind: 'other' };
  const line =
    text.split('\n').find((one) => permanent && one.includes(permanent[0])) ?? parsed.subject ?? '';
  return {
    ...basis,
    kind: 'bounce',
    status,
    isPermanent: status !== '' || permanent !== null,
    reason: line.trim().slice(0, 300),
  };
}

/** `bounce+TAG@example.org` */
function tagOf(address: string): string[] {
  const [, tag] = /\+([\w.-]+)@/.exec(address) ?? [];
  return tag === undefined ? [] : [tag];
}

/** Our Message-IDs begin with the mail's id. */
function messageIds(quoted: string): string[] {
  const value = field(headText(Buffer.from(quoted)), 'Message-ID');
  const [, id] = /<([\w-]+)@[^>]+>/.exec(value) ?? [];
  return id === undefined ? [] : [id];
}

function headText(content: Buffer): string {
  return content.toString('latin1').split(/\r?\n\r?\n/, 1)[0] ?? '';
}

function field(text: string, name: string): string {
  const match = new RegExp(`^${name}:[ \\t]*(.*(?:\\r?\\n[ \\t].*)*)$`, 'im').exec(text);
  return (match?.[1] ?? '').replaceAll(/\r?\n[ \t]+/g, ' ').trim();
}

function addressIn(value: string): string {
  return /([^\s<>;]+@[^\s<>;]+)/.exec(value)?.[1] ?? '';
}
