/**
 * Receives webhooks of Pismak (alerts, finished documents) and believes only those with a fresh, correct signature.
 *
 *   bin/pismak webhook secret create                  # on the machine itself: signs alerts and what is submitted there
 *   WEBHOOK_SECRET=whsec_... node_modules/.bin/node examples/webhook-receiver.ts 9000
 *   bin/pismak up --set alerts.webhooks=http://127.0.0.1:9000/ --set webhook.allowPrivate=true
 *
 * Webhooks of a user's documents are signed with the user's own secret: `webhook secret create --url ... --key ...`.
 * The signature is that of Standard Webhooks, so instead of `isGenuine` a library for it will do.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64');
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
  const id = String(request.headers['webhook-id']);
  if (!isGenuine(request.headers, body)) {
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

/** `v1,BASE64`: HMAC-SHA256 of `ID.SECONDS.BODY`, with the body exactly as it came. Two while a secret is replaced. */
function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const [id, time, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  // An old one may be a copy that somebody sends again.
  const isFresh = Math.abs(Date.now() / 1000 - Number(time)) <= toleranceSeconds;
  if (key.length === 0 || !isFresh || !signatures) return false;
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest();
  return signatures.split(' ').some((text) => {
    const signature = Buffer.from(/^v1,(.*)$/.exec(text)?.[1] ?? '', 'base64');
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}
