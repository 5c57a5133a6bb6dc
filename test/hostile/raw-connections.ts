import { connect, type Socket } from 'node:net';
import type { Random } from '../../src/engine/ground/identity.ts';
import { pick } from './hostile-inputs.ts';

const attempts = [
  'GET / HTTP/1.1\r\n',
  'POST /api/v1/session/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{"name":',
  'POST /api/v1/session/login HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\nhost: a\r\n\r\n',
  'POST /api/v1/session/login HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n',
  'POST /api/v1/session/login HTTP/1.1\r\nhost: a\r\ntransfer-encoding: xchunked\r\n\r\n',
  'GET /api/v1/health HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(2_000),
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'GET http://evil.example/ HTTP/1.1\r\nhost: evil.example\r\n\r\n',
  'CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: a\r\n\r\n',
  `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
  'GET /api/v1/health HTTP/1.1\nhost: a\n\n',
  'GET / HTTP/9.9\r\n\r\n',
  '\u0000'.repeat(10_000),
];

/** Connections that say nonsense, say nothing or never finish; they stay open until the end of the attack. */
export class RawConnections {
  readonly #open = new Set<Socket>();
  readonly #url: URL;
  readonly #most: number;

  constructor(url: string, most: number) {
    this.#url = new URL(url);
    this.#most = most;
  }

  add(random: Random, address: string): void {
    if (this.#open.size >= this.#most) this.#open.values().next().value?.destroy();
    const { hostname, port } = this.#url;
    const socket = connect({ host: hostname, port: Number(port), localAddress: address });
    this.#open.add(socket);
    socket.on('error', () => {}).on('close', () => this.#open.delete(socket));
    // Nobody reads the answers of half of them.
    if (random() < 0.5) socket.resume();
    const text = random() < 0.2 ? '' : pick(random, attempts);
    if (text !== '') socket.write(Buffer.from(text, 'latin1'));
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
