/**
 * Receives webhooks of Pismak (alerts, finished documents) and believes only those with a fresh, correct signature.
 *
 *   WEBHOOK_SECRET=... node_modules/.bin/node examples/webhook-receiver.ts 9000
 *   bin/pismak up --set alerts.webhooks=http://127.0.0.1:9000/ --set webhook.allowPrivate=true
 *
 * Pismak signs with a secret of the installation, which it makes for its first webhook and keeps in its database:
 *
 *   sqlite3 .pismak/pismak.db "select value from secret where name = 'webhook'"
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.WEBHOOK_SECRET ?? '';
const toleranceSeconds = 300;
const largestBody = 1_000_000;
/** A webhook is sent again when the answer was lost: its id says whether it was here before. */
const seen = new Set<string>();

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > largestBody) return response.writeHead(413).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const id = String(request.headers['pismak-id']);
  if (!isGenuine(String(request.headers['pismak-signature']), body)) {
    console.log(`refused ${id}`);
    // 4xx ends it; after a 5xx Pismak tries again later, for about two and a half hours.
    return response.writeHead(401).end();
  }
  if (!seen.has(id)) console.log(`${request.headers['pismak-event']} ${body}`);
  seen.add(id);
  return response.writeHead(204).end();
});
server.listen(Number(process.argv[2] ?? 9000), '127.0.0.1', () => {
  const address = server.address();
  console.log(`listening on ${typeof address === 'object' ? address?.port : address}`);
});

/** `t=SECONDS,v1=HMAC`: HMAC-SHA256 of `SECONDS.BODY`, with the body exactly as it came. */
function isGenuine(header: string, body: Buffer): boolean {
  const [, time = '', signature = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (secret === '' || signature === '') return false;
  if (Math.abs(Date.now() / 1000 - Number(time)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}
