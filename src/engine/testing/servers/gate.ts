import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy between clients and a server that can break their connections. */
export interface Gate {
  /** `127.0.0.1:port`. */
  address: string;
  /** Breaks all connections; new ones are let through. */
  cut(): void;
  /** Silently drops all traffic, like a cable pulled out. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

export async function openGate(server: { host: string; port: number }): Promise<Gate> {
  const sockets = new Set<Socket>();
  let isShut = false;
  const add = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    if (isShut) socket.pause();
    socket.on('data', (chunk) => other.write(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const gate = createServer((client) => {
    const onward = connect(server);
    add(client, onward);
    add(onward, client);
    if (isShut) for (const socket of [client, onward]) socket.pause();
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const address = gate.address();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${typeof address === 'object' ? address?.port : address}`,
    cut,
    shut() {
      isShut = true;
      for (const socket of sockets) socket.pause();
    },
    open() {
      isShut = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      gate.close();
      cut();
      await once(gate, 'close');
    },
  };
}
