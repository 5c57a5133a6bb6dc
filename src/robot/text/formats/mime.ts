import { decodePage } from '../html/charset.ts';
import { cleanHtml } from '../html/clean-html.ts';

/** A message of a discussion group. */
export interface MailMessage {
  /** Message-ID without brackets. */
  id?: string;
  subject: string;
  from: string;
  date?: string;
  inReplyTo?: string;
  text: string;
  links: string[];
}

const deepestPart = 10;

/** Subject, author and text of a message; attachments are left out. */
export function readMessage(bytes: Uint8Array): MailMessage {
  const part = splitPart(Buffer.from(bytes).toString('latin1'));
  const body = textOf(part.headers, part.body, 0);
  const when = Date.parse(part.headers.get('date') ?? '');
  const message: MailMessage = {
    subject: decodeHeader(part.headers.get('subject') ?? ''),
    from: decodeHeader(part.headers.get('from') ?? ''),
    ...body,
  };
  const id = part.headers.get('message-id')?.replaceAll(/[<>\s]/g, '');
  if (id) message.id = id;
  const before = /<([^<>\s]+)>/.exec(part.headers.get('in-reply-to') ?? '')?.[1];
  if (before !== undefined) message.inReplyTo = before;
  if (!Number.isNaN(when)) message.date = new Date(when).toISOString();
  return message;
}

function splitPart(source: string): { headers: Map<string, string>; body: string } {
  const [end] = /\r?\n\r?\n/.exec(source) ?? [];
  const at = end === undefined ? source.length : source.indexOf(end);
  const headers = new Map<string, string>();
  // A line that begins with white space goes on with the one before.
  for (const line of source
    .slice(0, at)
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return { headers, body: source.slice(at + (end?.length ?? 0)) };
}

function textOf(
  headers: ReadonlyMap<string, string>,
  body: string,
  depth: number,
): { text: string; links: string[] } {
  const type = headers.get('content-type') ?? 'text/plain';
  if (/^attachment/i.test(headers.get('content-disposition') ?? '')) return { text: '', links: [] };
  const [, quoted, bare] = /boundary\s*=\s*(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? [];
  const boundary = quoted ?? bare;
  if (/^multipart\//i.test(type) && boundary !== undefined && depth < deepestPart)
    return textOfParts(type, body, boundary, depth);
  if (!/^text\/(?:plain|html)/i.test(type)) return { text: '', links: [] };
  const bytes = decodeTransfer(headers.get('content-transfer-encoding') ?? '', body);
  if (/^text\/html/i.test(type)) {
    const { text, links } = cleanHtml(bytes, { url: 'http://localhost/', contentType: type });
    return { text, links: links.map(({ url }) => url).filter((url) => !url.startsWith('http://localhost')) };
  }
  const { text } = decodePage(bytes, { contentType: type });
  return { text: text.replaceAll('\r\n', '\n').trim(), links: [] };
}

/** Of alternatives the plain text, or what there is; of others all. */
function textOfParts(
  type: string,
  body: string,
  boundary: string,
  depth: number,
): { text: string; links: string[] } {
  const found = body
    .split(`--${boundary}`)
    .slice(1)
    .filter((part) => !part.startsWith('--'))
    .map((part) => {
      const { headers, body: content } = splitPart(part.replace(/^[ \t]*\r?\n/, ''));
      return {
        isPlain: /^text\/plain/i.test(headers.get('content-type') ?? 'text/plain'),
        ...textOf(headers, content, depth + 1),
      };
    })
    .filter(({ text }) => text !== '');
  const isAlternative = /^multipart\/alternative/i.test(type);
  const chosen = isAlternative
    ? [found.find(({ isPlain }) => isPlain) ?? found[0]].filter((part) => part !== undefined)
    : found;
  return { text: chosen.map(({ text }) => text).join('\n\n'), links: found.flatMap(({ links }) => links) };
}

function decodeTransfer(encoding: string, body: string): Buffer {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64');
  if (!/quoted-printable/i.test(encoding)) return Buffer.from(body, 'latin1');
  const joined = body.replaceAll(/=[ \t]*\r?\n/g, '');
  return Buffer.from(
    joined.replaceAll(/=([0-9a-f]{2})/gi, (_, octet: string) =>
      String.fromCharCode(Number.parseInt(octet, 16)),
    ),
    'latin1',
  );
}

/** =?iso-8859-2?Q?P=F8=EDli=B9?= and the like. */
export function decodeHeader(value: string): string {
  const joined = value.replaceAll(/(\?=)\s+(?==\?)/g, '$1');
  const decoded = joined.replaceAll(
    /=\?([^?\s]+)\?([bq])\?([^?]*)\?=/gi,
    (_, charset: string, how: string, text: string) => {
      const bytes =
        how.toLowerCase() === 'b'
          ? Buffer.from(text, 'base64')
          : decodeTransfer('quoted-printable', text.replaceAll('_', ' '));
      return decodePage(bytes, { charset }).text;
    },
  );
  // Headers that are not encoded at all are mostly UTF-8.
  return /[\x80-\xff]/.test(joined) && decoded === joined
    ? decodePage(Buffer.from(joined, 'latin1')).text
    : decoded;
}
