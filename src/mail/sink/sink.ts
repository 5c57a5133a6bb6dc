import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Random } from '../../engine/identity.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import { SinkDialogue } from './sink-dialogue.ts';

/** A mail as it came over the wire, dots unstuffed. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** What MAIL said beside the address: `SIZE=1000 BODY=8BITMIME`. */
  parameters: string;
  content: Buffer;
  /** Which connection brought it, counted from 1. */
  connection: number;
}

export interface SinkOptions {
  port?: number;
  host?: string;
  /** If it returns a promise, the answer waits for it; if that rejects, the client is asked to try again later. */
  onMail?(mail: ReceivedMail): unknown;
  misbehave?: readonly Misbehaviour[];
  /** Extensions to offer. */
  offers?: readonly string[];
  /** With it, the sink offers STARTTLS. */
  tls?: { key: string; cert: string };
  /** With it, mails are taken only after AUTH. The check gets the method and what was said, decoded. */
  auth?: (method: string, said: string) => boolean;
  random?: Random;
  clock?: Clock;
}

export interface Sink {
  port: number;
  /** Answers given with 250 to a final dot. */
  readonly accepted: number;
  readonly connections: number;
  misbehave(rules: readonly Misbehaviour[]): void;
  close(): Promise<void>;
}

/** An SMTP server that takes every mail, delivers none, and misbehaves on request. */
export async function openSink(options: SinkOptions = {}): Promise<Sink> {
  const state = { accepted: 0, connections: 0, rules: options.misbehave ?? [] };
  const sockets = new Set<Socket>();
  const secure = options.tls && createSecureContext(options.tls);
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setNoDelay(true);
    const dialogue = new SinkDialogue(socket, ++state.connections, {
      options,
      secure,
      rules: () => state.rules,
      accept: (mail) => {
        const stored = options.onMail?.(mail);
        if (!(stored instanceof Promise)) {
          state.accepted++;
          return;
        }
        return stored.then(() => {
          state.accepted++;
        });
      },
    });
    dialogue.begin();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return state.accepted;
    },
    get connections() {
      return state.connections;
    },
    misbehave(rules) {
      state.rules = rules;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
