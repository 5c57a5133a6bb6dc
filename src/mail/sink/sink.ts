import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Random } from '../../engine/ground/identity.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import { SinkDialogue } from './sink-dialogue.ts';

/** A mail as received, dots unstuffed. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** Parameters of MAIL: `SIZE=1000 BODY=8BITMIME`. */
  parameters: string;
  content: Buffer;
  /** Number of the connection, from 1. */
  connection: number;
}

export interface SinkOptions {
  port?: number;
  host?: string;
  /** If it returns a promise, the reply waits for it. If that rejects, the client is told to try again later. */
  onMail?(mail: ReceivedMail): unknown;
  misbehave?: readonly Misbehaviour[];
  /** Recipients that a mail may have; the client must send it to the others in a further mail. */
  recipients?: number;
  /** Extensions to offer. */
  offers?: readonly string[];
  /** With it, the sink offers STARTTLS. */
  tls?: { key: string; cert: string };
  /** Requires AUTH. The check gets the method and the decoded credentials. */
  auth?: (method: string, said: string) => boolean;
  random?: Random;
  clock?: Clock;
}

export interface Sink {
  port: number;
  /** Mails accepted with 250. */
  readonly accepted: number;
  readonly connections: number;
  misbehave(rules: readonly Misbehaviour[]): void;
  close(): Promise<void>;
}

/** Further connections are closed at once. */
const mostConnections = 1000;

/** An SMTP server for tests that accepts every mail, delivers none, and misbehaves on request. */
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
  server.maxConnections = mostConnections;
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
