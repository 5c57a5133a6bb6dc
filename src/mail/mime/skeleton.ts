import { isUtf8 } from 'node:buffer';
import type { Header } from './headers.ts';

/** An attachment whose bytes are in memory. */
export interface LoadedAttachment {
  name: string;
  type?: string | undefined;
  content: Buffer;
  inline?: boolean | undefined;
}

/**
 * The MIME structure of a mail with gaps for text and HTML. Built once for each combination of type, language, design and
 * attachments: building takes a millisecond, filling a few microseconds.
 */
export interface Skeleton {
  /** MIME-Version and Content-Type of the whole mail. */
  headers: readonly Header[];
  /** The parts before the text, between text and HTML, and after it. Both must be quoted-printable. */
  before: Buffer;
  between: Buffer;
  after: Buffer;
}

/** The non-ASCII letter makes the composer choose quoted-printable for both parts. */
const mark = { letter: 'ž', encoded: '=C5=BE' };
const textPlace = `${mark.encoded}PismakTextGoesHere`;
const htmlPlace = `${mark.encoded}PismakHtmlGoesHere`;

export async function buildSkeleton(attachments: readonly LoadedAttachment[]): Promise<Skeleton> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    text: textPlace.replace(mark.encoded, mark.letter),
    html: htmlPlace.replace(mark.encoded, mark.letter),
    textEncoding: 'quoted-printable',
    attachments: attachments.map(({ name, type, content, inline }) => ({
      filename: name,
      content,
      contentDisposition: inline ? ('inline' as const) : ('attachment' as const),
      ...(inline && { cid: name }),
      ...contentTypeOf(name, type, content),
    })),
  });
  const whole: Buffer = await composer.compile().build();
  const blank = whole.indexOf('\r\n\r\n');
  const wanted = /^(MIME-Version|Content-Type|Content-Transfer-Encoding): (.*)$/is;
  const headers = whole
    .toString('latin1', 0, blank)
    .split(/\r\n(?![ \t])/)
    .flatMap((line): Header[] => {
      const [, name, value] = wanted.exec(line) ?? [];
      return name && value !== undefined ? [[name, value]] : [];
    });
  const body = whole.subarray(blank + 4);
  const [textAt, htmlAt] = [body.indexOf(textPlace), body.indexOf(htmlPlace)];
  if (textAt < 0 || htmlAt < textAt)
    throw new Error('the MIME composer did not leave the places as they were');
  const before = body.subarray(0, textAt);
  const between = body.subarray(textAt + textPlace.length, htmlAt);
  const after = body.subarray(htmlAt + htmlPlace.length);
  return { headers, before, between, after };
}

const textTypes = new Map([
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['ics', 'text/calendar'],
]);

/** A text in UTF-8 says so: without a charset, it would be ASCII. Otherwise the composer finds the type by the name. */
function contentTypeOf(name: string, type: string | undefined, content: Buffer): { contentType?: string } {
  const known = type ?? textTypes.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
  if (known?.startsWith('text/') && isUtf8(content)) return { contentType: `${known}; charset=utf-8` };
  return type === undefined ? {} : { contentType: type };
}
