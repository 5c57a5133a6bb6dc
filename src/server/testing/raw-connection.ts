import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '../../engine/testing/eventually.ts';

/** A client that sends bytes of its own choice, and may be slow, deaf or rude. */
export interface RawConnection {
  socket: Socket;
  /** Everything that the server has sent. */
  heard(): string;
  /** Sends the head of a request: its first line and headers. */
  head(line: string, headers?: Record<string, string | number>): void;
  /** The status of the first answer, once it is there with its whole head. Interim answers count. */
  status(): Promise<number>;
  closed(): Promise<void>;
  /** Whether the server has closed its end, also if we did not read. */
  isCutOff(): boolean;
  /** How many bytes the server, in this process, has read. */
  bytesTaken(): number;
  /** Waits until the server has read what was sent so far. */
  received(): Promise<void>;
}

export async function connectRaw(
  { localUrl }: { localUrl: string },
  test: { after(close: () => unknown): void },
): Promise<RawConnection> {
  const socket = connect(Number(new URL(localUrl).port), '127.0.0.1');
  let heard = '';
  let isClosed = false;
  // The server may cut the connection while we send.
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1');
  });
  const closing = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isClosed = true;
      resolve();
    });
  });
  let opposite: Socket | undefined;
  const onRequest = (message: unknown) => {
    const { socket: theirs } = message as { socket: Socket };
    if (theirs.remotePort === socket.localPort) opposite = theirs;
  };
  subscribe('http.server.request.start', onRequest);
  test.after(() => {
    unsubscribe('http.server.request.start', onRequest);
    socket.destroy();
  });
  await once(socket, 'connect');
  return {
    socket,
    heard: () => heard,
    head(line, headers = {}) {
      const all = Object.entries({ host: 'localhost', ...headers });
      socket.write(
        [`${line} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n'),
      );
    },
    async status() {
      await eventually('an answer', async () => heard.includes('\r\n\r\n') || isClosed);
      return Number(/^HTTP\/1\.1 (\d{3})/.exec(heard)?.[1]);
    },
    closed: () => closing,
    isCutOff: () => opposite?.destroyed ?? false,
    bytesTaken: () => opposite?.bytesRead ?? 0,
    async received() {
      await eventually('the server reads', async () => (opposite?.bytesRead ?? 0) >= socket.bytesWritten);
    },
  };
}
