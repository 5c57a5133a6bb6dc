import { request as httpRequest } from 'node:http';

/** Somebody who calls the API: a stranger without a key, a reader, a user. Each has an address of its own. */
export interface Visitor {
  name: string;
  key?: string;
  /** Its own loopback address, so that limits per address tell the visitors apart. */
  address: string;
}

export interface Reply {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

export interface Sent {
  method: string;
  path: string;
  headers?: Readonly<Record<string, string | readonly string[]>>;
  body?: string | Uint8Array;
  /** The connection is cut after so many bytes of the body. */
  cutAfter?: number;
  /** Pieces of the body are sent so far apart. */
  dribbleMs?: number;
}

/**
 * An answer that takes longer than this never comes: the server hangs. Counted in looks a second apart, because attackers have the lowest
 * priority: on a busy machine they may sleep for a minute, with the answer before them.
 */
const patienceSeconds = 60;
/** Nobody asks for more: the rest is not read. */
const readAtMost = 4 * 2 ** 20;

export class NoReply extends Error {
  readonly hung: boolean;
  constructor(message: string, hung: boolean) {
    super(message);
    this.hung = hung;
  }
}

/** Sends one request. Rejects with `NoReply` if the server cuts the connection or does not answer. */
export function send(url: string, visitor: Visitor, sent: Sent): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const authorization = visitor.key && { authorization: `Bearer ${visitor.key}` };
  const length = sent.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent.body)) };
  const request = httpRequest({
    hostname,
    port,
    localAddress: visitor.address,
    agent: false,
    method: sent.method,
    path: sent.path,
    insecureHTTPParser: false,
    headers: { ...authorization, ...length, ...sent.headers } as Record<string, string | string[]>,
  });
  let left = patienceSeconds;
  const timer = setInterval(() => {
    if (left-- > 0) return;
    reject(new NoReply(`no answer within ${patienceSeconds} s`, true));
    clearInterval(timer);
    request.destroy();
  }, 1000);
  request.on('response', (response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = () => {
      clearInterval(timer);
      const text = Buffer.concat(chunks).toString();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      request.destroy();
    };
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      // An event stream has no end: its beginning is enough.
      if (size > readAtMost || response.headers['content-type']?.includes('event-stream')) finish();
    });
    response.on('end', finish).on('error', finish);
  });
  request.on('error', (error) => {
    clearInterval(timer);
    reject(new NoReply(error.message, false));
  });
  void writeBody(request, sent);
  return promise;
}

async function writeBody(request: ReturnType<typeof httpRequest>, sent: Sent): Promise<void> {
  const body = Buffer.from(sent.body ?? '');
  if (sent.cutAfter !== undefined) {
    request.write(body.subarray(0, sent.cutAfter));
    setTimeout(() => request.destroy(new Error('cut by us')), 50);
    return;
  }
  if (sent.dribbleMs === undefined) return void request.end(body);
  for (let at = 0; at < body.length && !request.destroyed; at += 7) {
    request.write(body.subarray(at, at + 7));
    await new Promise((resolve) => setTimeout(resolve, sent.dribbleMs));
  }
  if (!request.destroyed) request.end();
}
