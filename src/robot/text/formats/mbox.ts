import { type MailMessage, readMessage } from './mime.ts';

/** Longer messages are cut. */
const longestMessage = 20 << 20;
const separator = Buffer.from('\nFrom ');

/** Messages of an mbox archive, one by one while it arrives. */
export async function* readMbox(source: AsyncIterable<Uint8Array>): AsyncGenerator<MailMessage> {
  // A message is joined once, when it is complete: joining it with every piece that arrives would take quadratic time.
  let pieces: Buffer[] = [];
  let length = 0;
  const keep = (piece: Buffer) => {
    if (length < longestMessage) pieces.push(piece);
    length += piece.length;
  };
  // The last bytes may be the first of a separator.
  let last = Buffer.from('\n');
  for await (const chunk of source) {
    let rest = Buffer.concat([last, chunk]);
    // A message begins with its own separator.
    const next = () => rest.indexOf(separator, length === 0 ? 1 : 0);
    for (let end = next(); end >= 0; end = next()) {
      keep(rest.subarray(0, end));
      const message = messageIn(Buffer.concat(pieces));
      if (message !== undefined) yield message;
      [pieces, length] = [[], 0];
      rest = rest.subarray(end);
    }
    const sure = Math.max(0, rest.length - separator.length + 1);
    if (sure > 0) keep(rest.subarray(0, sure));
    last = rest.subarray(sure);
  }
  keep(last);
  const message = messageIn(Buffer.concat(pieces));
  if (message !== undefined) yield message;
}

/** What begins with the line `From address date`; lines that look like it inside were quoted with `>`. */
function messageIn(bytes: Buffer): MailMessage | undefined {
  if (!bytes.subarray(0, separator.length).equals(separator)) return undefined;
  const content = bytes.subarray(0, longestMessage).toString('latin1', 1);
  const start = content.indexOf('\n') + 1;
  if (start === 0) return undefined;
  return readMessage(Buffer.from(content.slice(start).replaceAll(/^>(?=>*From )/gm, ''), 'latin1'));
}
