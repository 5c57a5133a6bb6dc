const end = Buffer.from('\r\n.\r\n');
const endOfLine = end.subarray(2);
const dot = 0x2e;
const lineFeed = 0x0a;

/** The message as DATA wants it, in pieces: lines that begin with a dot get a second one, and a lone dot ends it. */
export function dotStuffed(message: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  if (message[0] === dot) parts.push(message.subarray(0, 1));
  for (let at = message.indexOf('\n.', 0, 'latin1'); at >= 0; at = message.indexOf('\n.', at + 2, 'latin1')) {
    parts.push(message.subarray(start, at + 2));
    start = at + 1;
  }
  const endsWithLine = message.length === 0 || message[message.length - 1] === lineFeed;
  parts.push(message.subarray(start), endsWithLine ? endOfLine : end);
  return parts;
}
