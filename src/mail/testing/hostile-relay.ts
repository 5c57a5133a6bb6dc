import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What a mail server can do to us besides refusing mails. */
const behaviour = {
  /** Accepts the connection and says nothing. */
  silent: (socket: Socket) => void socket.resume(),
  /** Its greeting arrives byte by byte, without an end. */
  dribbles(socket: Socket) {
    socket.resume();
    const timer = setInterval(() => socket.write('2'), 20);
    socket.on('close', () => clearInterval(timer));
  },
  /** A line without an end, as fast as we read. */
  'endless line': (socket: Socket) => pour(socket, '220 hello', 'x'.repeat(64 * 1024)),
  /** A reply of very many lines. */
  'endless reply': (socket: Socket) => pour(socket, '', '220-and more\r\n'.repeat(50)),
  /** Replies to commands that were never sent. */
  flood: (socket: Socket) => pour(socket, '220 hello\r\n', '250 yes\r\n'.repeat(5000)),
  /** Lines of 60 KB, each a correct reply. */
  'huge lines': (socket: Socket) => talk(socket, `250 ${'4.1.1 5.1.1 user unknown '.repeat(2400)}\r\n`),
  /** Offers ten thousand extensions with long names. */
  'many offers': (socket: Socket) =>
    talk(socket, '250 yes\r\n', `250-${'SIZE9'.repeat(60)}\r\n`.repeat(10_000)),
  /** Says yes to everything and stops reading in the middle of a mail. */
  deaf: (socket: Socket) => talk(socket, '250 yes\r\n', '250-PIPELINING\r\n', () => socket.pause()),
  /** Takes the mail and never says so. */
  'no answer': (socket: Socket) => talk(socket, '250 yes\r\n', '250-PIPELINING\r\n', () => {}),
  /** Cuts the connection after its first reply. */
  cuts(socket: Socket) {
    socket.write('220 hello\r\n');
    socket.once('data', () => socket.end('250 yes\r\n'));
  },
  /** Not SMTP. */
  noise: (socket: Socket) => pour(socket, '', '\0\xff\xfe'.repeat(10_000)),
};
export type HostileManner = keyof typeof behaviour;
export const hostileManners = Object.keys(behaviour) as HostileManner[];

export interface HostileRelay {
  port: number;
  readonly connections: number;
  close(): Promise<void>;
}

/** A mail server that misbehaves: each connection in the next of these manners. */
export async function openHostileRelay(
  manners: readonly HostileManner[] = hostileManners,
): Promise<HostileRelay> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    behaviour[manners[connections++ % manners.length] ?? 'silent'](socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers each command with `reply`, EHLO with `offers` before it; `onMail` is called where a mail begins. */
function talk(
  socket: Socket,
  reply: string,
  offers = '',
  onMail: () => unknown = () => socket.write(reply),
): void {
  socket.write('220 hello\r\n');
  socket.on('data', (chunk: Buffer) => {
    for (const [command = ''] of chunk.toString('latin1').matchAll(/^(EHLO|MAIL|RCPT|DATA|RSET|QUIT)\b/gm)) {
      if (command === 'EHLO') socket.write(`${offers}${reply}`);
      else if (command === 'DATA') {
        socket.write('354 go on\r\n');
        onMail();
      } else socket.write(reply);
    }
  });
}

/** As much as the other side takes. */
function pour(socket: Socket, first: string, again: string): void {
  socket.resume();
  socket.write(first);
  const more = () => {
    while (socket.writable && socket.write(again, 'latin1'));
  };
  socket.on('drain', more);
  more();
}
