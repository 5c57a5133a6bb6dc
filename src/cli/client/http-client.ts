import {
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { z } from 'zod';
import { isSystemError } from '../../engine/files/system-error.ts';
import { type ErrorCode, errorStatus, messageOf, PismakError } from '../../engine/ground/errors.ts';
import { parseJson } from '../../engine/ground/json.ts';
import type { Operation } from '../../engine/operation/operation.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';
import { queryFromInput } from '../../server/routes/query-input.ts';
import type { Client } from '../../terminal/client/client.ts';

interface Sending {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  type?: string;
  body?: Uint8Array | AsyncIterable<Uint8Array>;
  signal?: AbortSignal | undefined;
}

/** Talks to a server. Avoids `fetch`, which gives up after five minutes: a backup may take longer. */
export function openHttpClient(options: {
  url: string;
  token: string | undefined;
  clock: Clock;
  /** Aborts all running calls. */
  interruption: AbortSignal;
}): Client {
  const { token, clock, interruption } = options;
  const base = baseOf(options.url);
  const secure = base.protocol === 'https:';
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });

  async function send({ method, path, type, body, signal }: Sending): Promise<IncomingMessage> {
    const headers: OutgoingHttpHeaders = { accept: 'application/json' };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (type !== undefined) headers['content-type'] = type;
    if (body instanceof Uint8Array) headers['content-length'] = body.length;
    const target = new URL(base.pathname.replace(/\/$/, '') + path, base);
    const parameters = { method, headers, agent, ...(signal && { signal }) };
    const outgoing = (secure ? requestHttps : requestHttp)(target, parameters);
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', reject);
    });
    try {
      // An answer that arrives before the whole body was sent is a refusal, and explains the broken pipe.
      if (body && !(body instanceof Uint8Array)) await Promise.race([pipeline(body, outgoing), answer]);
      else outgoing.end(body);
      return await answer;
    } catch (error) {
      // The server has just closed this kept-alive connection, and has not seen the request.
      if (
        outgoing.reusedSocket &&
        isSystemError(error, 'ECONNRESET') &&
        (!body || body instanceof Uint8Array)
      ) {
        return send({ method, path, ...(type !== undefined && { type }), ...(body && { body }), signal });
      }
      throw unreachable(base, error);
    }
  }

  async function call(
    { name, changes }: Pick<Operation, 'name' | 'changes'>,
    input: unknown,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const sending: Sending = changes
      ? {
          method: 'POST',
          path: pathOf(name),
          signal,
          type: 'application/json',
          body: Buffer.from(JSON.stringify(input)),
        }
      : { method: 'GET', path: pathWith(name, input), signal };
    for (;;) {
      const answer = await send(sending);
      const waitSeconds = Number(answer.headers['retry-after']);
      if (answer.statusCode !== 429 || !(waitSeconds > 0)) return parsed(answer);
      // The server asked us to slow down.
      answer.resume();
      await sleep(clock, waitSeconds * 1000, signal);
      signal?.throwIfAborted();
    }
  }

  return {
    async call<Input extends z.ZodType, Output extends z.ZodType>(
      operation: Operation<Input, Output>,
      input: z.input<Input>,
      { afterInterruption = false } = {},
    ) {
      // The server checked the answer against the declaration before sending it.
      return (await call(operation, input, afterInterruption ? undefined : interruption)) as z.output<Output>;
    },
    async upload(body) {
      const type = 'application/octet-stream';
      const answer = await send({ method: 'POST', path: '/api/v1/blobs', type, body, signal: interruption });
      return (await parsed(answer)) as { hash: string; size: number };
    },
    async uploadPart(upload, offset, body) {
      const path = `/api/v1/uploads/${encodeURIComponent(upload)}/${offset}`;
      const type = 'application/octet-stream';
      return (await parsed(await send({ method: 'PUT', path, type, body, signal: interruption }))) as {
        offset: number;
      };
    },
    async *stream({ name }, input) {
      const answer = await send({ method: 'GET', path: pathWith(name, input), signal: interruption });
      if (answer.statusCode !== 200) await parsed(answer);
      yield* answer;
    },
    async *download(receipt, hash) {
      const path = `/api/v1/results/${encodeURIComponent(receipt)}/blobs/${encodeURIComponent(hash)}`;
      const answer = await send({ method: 'GET', path, signal: interruption });
      if (answer.statusCode !== 200) await parsed(answer);
      yield* answer;
    },
    async close() {
      agent.destroy();
    },
  };
}

function pathOf(operation: string): string {
  return `/api/v1/${operation.replace('.', '/')}`;
}

function pathWith(operation: string, input: unknown): string {
  return `${pathOf(operation)}?${queryFromInput({ ...(input as object) })}`;
}

function baseOf(url: string): URL {
  const base = URL.parse(url);
  if (base && (base.protocol === 'http:' || base.protocol === 'https:')) return base;
  throw new PismakError('invalid-input', 'the URL of a server looks like https://pismak.example.com');
}

/** Returns the content of the answer, or throws an error with the code that the server gave. */
async function parsed(answer: IncomingMessage): Promise<unknown> {
  const content = parseJson((await buffer(answer)).toString());
  const status = answer.statusCode ?? 0;
  if (status >= 200 && status < 300 && content !== undefined) return content;
  const { code, message, details, sentence } =
    (content as { error?: Partial<PismakError> } | undefined)?.error ?? {};
  if (code !== undefined && Object.hasOwn(errorStatus, code) && message !== undefined) {
    const text = sentence ? { ...sentence, message: String(message) } : String(message);
    throw new PismakError(code as ErrorCode, text, details ? { details } : {});
  }
  throw new PismakError('unavailable', `the server is not Pismak: it answered with status ${status}`);
}

function unreachable(base: URL, error: unknown): unknown {
  if (error instanceof PismakError || (error instanceof Error && error.name === 'AbortError')) return error;
  return new PismakError('unavailable', `${base.origin} can't be reached: ${messageOf(error)}`, {
    cause: error,
  });
}
