import { type MailMessage, readMessage } from './mime.ts';

/** Longer messages are cut. */
const longestMessage = 20 << 20;
const separator = Buffer.from('\nFrom ');

/** Messages of an mbox archive, one by one while it arrives. */
export async function* readMbox(source: AsyncIterable<Uint8Array>): AsyncGenerator<MailMessage> {
  let rest = Buffer.from('\n');
  for await (const chunk of source) {
    let from = Math.max(0, rest.length - separator.length);
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(separator, Math.max(1, from)); end >= 0; end = rest.indexOf(separator, 1)) {
      const message = messageIn(rest.subarray(0, end));
      if (message !== undefined) yield message;
      rest = rest.subarray(end);
      from = 1;
    }
    if (rest.length > 2 * longestMessage) rest = rest.subarray(0, longestMessage);
  }
  const last = messageIn(rest);
  if (last !== undefined) yield last;
}

/** What begins with the line `From address date`; lines that look like it inside were quoted with `>`. */
function messageIn(bytes: Buffer): MailMessage | undefined {
  if (!bytes.subarray(0, separator.length).equals(separator)) return undefined;
  const content = bytes.subarray(0, longestMessage).toString('latin1', 1);
  const start = content.indexOf('\n') + 1;
  if (start === 0) return undefined;
  return readMessage(Buffer.from(content.slice(start).replaceAll(/^>(?=>*From )/gm, ''), 'latin1'));
}
