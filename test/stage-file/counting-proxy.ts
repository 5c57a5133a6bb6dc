import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between commands and the server, and counts what commands send. */
export class CountingProxy implements AsyncDisposable {
  readonly url: string;
  sent = 0;
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async open(target: string): Promise<CountingProxy> {
    const { hostname, port } = new URL(target);
    const sockets = new Set<Socket>();
    const server = createServer((from) => {
      const to = connect(Number(port), hostname);
      for (const [socket, other] of [
        [from, to],
        [to, from],
      ] as const) {
        sockets.add(socket);
        socket
          .on('error', () => other.destroy())
          .on('close', () => sockets.delete(socket) && other.destroy());
      }
      from.on('data', (chunk: Buffer) => {
        proxy.sent += chunk.length;
      });
      from.pipe(to);
      to.pipe(from);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new CountingProxy(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    );
    return proxy;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
