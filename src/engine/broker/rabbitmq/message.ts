import { createHash } from 'node:crypto';
import type { AsyncMessage, Envelope, ReturnedMessage, SyncMessage } from 'rabbitmq-client';
import { z } from 'zod';
import { PismakError } from '../../ground/errors.ts';
import { parseJson } from '../../ground/json.ts';
import type { Failure, OutgoingMessage, StoredMessage } from '../broker.ts';
import type { HeldMessage } from '../delivery.ts';
import { ownerHeader } from '../owner-header.ts';

const ownHeader = 'x-pismak';
/** A header must fit into one frame of 128 KiB, with space for what the server adds. */
const maxHeaderBytes = 64 * 1024;
const maxHistoryBytes = 32 * 1024;
/** The limit of AMQP's own fields. */
const maxNameBytes = 255;

/** What AMQP has no field for. */
const ownPart = z.object({
  /** The publish id, under the name that it has had in messages since 0.1. */
  life: z.string(),
  id: z.string().optional(),
  at: z.number(),
  attempts: z.number().default(0),
  readyAt: z.number().optional(),
  history: z.array(z.object({ at: z.number(), attempt: z.number(), reason: z.string() })).default([]),
});

export interface RabbitMessage extends HeldMessage {
  /** New with every publish. Attempts are charged to it, so a redriven message starts from zero. */
  publishId: string;
  readyAt: number | null;
}

export type Incoming = AsyncMessage | SyncMessage;

/** Where a message is published to. */
export interface Target {
  routingKey: string;
  exchange?: string;
  expiration?: string;
}

/** The envelope of a message for its target. The body travels unchanged. */
export function toEnvelope(message: RabbitMessage, target: Target): Envelope {
  const { id, publishId, publishedAt: at, lane, headers } = message;
  const envelope: Envelope = {
    ...target,
    mandatory: true,
    durable: true,
    priority: lane === 'high' ? 1 : 0,
    timestamp: Math.floor(at / 1000),
  };
  if (fitsField(id)) envelope.messageId = id;
  const own = ownText(message);
  // A header table makes a publish 10% dearer, so a new message does without.
  if (own === null) {
    envelope.appId = `pismak ${publishId} ${at}`;
    if (headers[ownerHeader] !== undefined) envelope.type = headers[ownerHeader];
  } else envelope.headers = { ...headers, [ownHeader]: own };
  return envelope;
}

/** Null if AMQP's own fields suffice. */
function ownText({ id, publishId, publishedAt: at, attempts, readyAt, history, headers }: RabbitMessage) {
  const own: z.input<typeof ownPart> = { life: publishId, at };
  if (!fitsField(id)) own.id = id;
  if (attempts > 0) own.attempts = attempts;
  if (readyAt !== null) own.readyAt = readyAt;
  if (history.length > 0) own.history = latest(history);
  const { [ownerHeader]: owner = '', ...others } = headers;
  const isLittle = Object.keys(own).length === 2 && Object.keys(others).length === 0 && fitsField(owner);
  return isLittle ? null : JSON.stringify(own);
}

/** A UTF-16 unit takes at most three bytes, so for most texts the bytes need not be counted. */
function fitsField(text: string): boolean {
  return 3 * text.length <= maxNameBytes || Buffer.byteLength(text) <= maxNameBytes;
}

/** Refuses headers that don't fit into a frame. */
export function checkHeaders({ id, headers = {} }: OutgoingMessage, asText: string | null): void {
  if (asText !== null && Buffer.byteLength(asText) > maxHeaderBytes) {
    const text = `The headers of message ${id} have more than ${maxHeaderBytes} bytes. Put large content into the body.`;
    throw new PismakError('message-too-large', text);
  }
  const long = Object.keys(headers).find((name) => Buffer.byteLength(name) > maxNameBytes);
  if (long === undefined && !(ownHeader in headers)) return;
  const text = `A header cannot be named ${long ?? ownHeader}. Use at most ${maxNameBytes} bytes; ${ownHeader} is reserved.`;
  throw new PismakError('invalid-input', text);
}

/** Reads a message from the server. Messages of foreign producers may carry no time; they get `now`. */
export function fromIncoming(incoming: Incoming, isHighQueue: boolean, now: number): RabbitMessage {
  const { [ownHeader]: text, ...others } = incoming.headers ?? {};
  const body = bytesOf(incoming.body);
  const own = readOwn(text, incoming.appId);
  const lane = isHighQueue || (incoming.priority ?? 0) >= 1 ? 'high' : 'normal';
  // A message of ours without a header table has its owner there.
  const isOurs = own !== undefined && typeof text !== 'string' && incoming.type !== undefined;
  const headers = isOurs ? { [ownerHeader]: incoming.type ?? '' } : textHeaders(others);
  const {
    readyAt = null,
    history = [],
    attempts = 0,
    at = incoming.timestamp ? incoming.timestamp * 1000 : now,
  } = own ?? {};
  const id = own?.id ?? incoming.messageId ?? foreignId(body);
  const publishId = own?.life ?? `foreign ${id}`;
  return {
    id,
    publishId,
    lane,
    attempts,
    publishedAt: at,
    readyAt,
    headers,
    history: [...history, ...serverDeath(others, attempts)],
    body,
  };
}

/** Whether another program published it. */
export function isForeign({ publishId }: Pick<RabbitMessage, 'publishId'>): boolean {
  return publishId.startsWith('foreign ');
}

/** The publish id of a message that the server returned as unroutable. */
export function publishIdOf(returned: ReturnedMessage): string | undefined {
  return readOwn(returned.headers?.[ownHeader], returned.appId)?.life;
}

export function toStored(message: RabbitMessage, state: StoredMessage['state']): StoredMessage {
  const { id, lane, attempts, publishedAt, readyAt, headers, history, body } = message;
  const when = state === 'delayed' ? readyAt : null;
  return { id, lane, state, attempt: attempts, publishedAt, readyAt: when, headers, history, body };
}

function readOwn(text: unknown, appId: string | undefined): z.infer<typeof ownPart> | undefined {
  if (typeof text !== 'string') {
    const [, publishId, at] = /^pismak (\S+) (\d{1,16})$/.exec(appId ?? '') ?? [];
    return publishId === undefined
      ? undefined
      : { life: publishId, at: Number(at), attempts: 0, history: [] };
  }
  return ownPart.safeParse(parseJson(text)).data;
}

/** Foreign headers may hold anything. Skip the server's own (`x-death`, `x-delivery-count`). */
function textHeaders(headers: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(headers).filter(
    ([name]) => !/^x-(death|delivery-count|first-death-|last-death-|stream-)/.test(name),
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** Why the server itself dead-lettered the message: its delivery limit, or a foreign consumer that rejected it. */
function serverDeath(headers: Record<string, unknown>, attempt: number): Failure[] {
  const { 'x-death': deaths } = headers;
  const [last] = Array.isArray(deaths) ? deaths : [];
  // A delayed message "expires" in its delay queue.
  if (!last || last.reason === 'expired') return [];
  return [
    { at: Number(last.time) * 1000, attempt, reason: `RabbitMQ took it out of the queue: ${last.reason}` },
  ];
}

/** The client decodes bodies whose content type it knows. */
function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The same id at each delivery. */
function foreignId(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 32);
}

/** The latest failures that fit. */
function latest(history: readonly Failure[]): Failure[] {
  let left = maxHistoryBytes;
  const fit = history.toReversed().filter((failure) => {
    left -= Buffer.byteLength(JSON.stringify(failure));
    return left >= 0;
  });
  return fit.reverse();
}
