import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Clock } from '../time/clock.ts';
import { guardedLookup, type Resolve } from './address-guard.ts';

/** The answer is read only for politeness; a receiver that sends more wants to keep us busy. */
const answerLimit = 64_000;

/** Maximum time to resolve and reach the receiver. */
const connectMs = 5000;

/** The receiver could not be reached, or did not answer in time. */
export class NoAnswer extends Error {}

export interface Post {
  url: URL;
  body: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
  clock: Clock;
  resolve: Resolve;
  allowPrivate: boolean;
}

/**
 * Posts once, over its own connection, without following redirects. Resolves to the status of the answer; rejects with
 * `NoAnswer` if there was none in time.
 */
export function post({ url, body, headers, ...options }: Post): Promise<number> {
  const { resolve, allowPrivate, clock, timeoutMs } = options;
  const late = new AbortController();
  let isConnected = false;
  const cancels = [
    clock.after(timeoutMs, () => late.abort(`no answer within ${timeoutMs} ms`)),
    clock.after(connectMs, () => isConnected || late.abort(`no connection within ${connectMs} ms`)),
  ];
  const answer = Promise.withResolvers<number>();
  let status: number | undefined;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    // Connections are neither shared nor kept: each goes to an address that was checked for it.
    agent: false,
    lookup: guardedLookup(resolve, allowPrivate),
    signal: AbortSignal.any([options.signal, late.signal]),
  });
  request.on('socket', (socket) => {
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      isConnected = true;
    });
  });
  request.on('error', (error) => {
    if (status !== undefined) answer.resolve(status);
    else answer.reject(late.signal.aborted ? new NoAnswer(late.signal.reason, { cause: error }) : error);
  });
  request.on('response', (response) => {
    const come = response.statusCode ?? 0;
    status = come;
    let received = 0;
    response.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > answerLimit) response.destroy();
    });
    // The status has arrived, so the rest does not matter.
    response.on('error', () => {});
    response.on('close', () => answer.resolve(come));
  });
  request.end(body);
  return answer.promise.finally(() => {
    for (const cancel of cancels) cancel();
  });
}
