import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const sinkProgram = '/usr/sbin/smtp-sink';
const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];

export interface RelayProcess {
  url: string;
  port: number;
  pid: number | undefined;
  name: string;
  close(): Promise<void>;
}

/** A relay in a process of its own: postfix's smtp-sink, or ours where rules are needed or postfix is not installed. */
export async function startRelay(misbehave: readonly string[] = []): Promise<RelayProcess> {
  const port = await freePort();
  const program = process.env.SMTP_SINK ?? sinkProgram;
  const isPostfix = misbehave.length === 0 && existsSync(program);
  const child = isPostfix
    ? spawn(program, [...asNobody, `127.0.0.1:${port}`, '1000'], { stdio: 'ignore' })
    : spawn(
        join(import.meta.dirname, '../../bin/pismak'),
        [
          'mail',
          'sink',
          '--quiet',
          '--port',
          String(port),
          ...misbehave.flatMap((rule) => ['--misbehave', rule]),
        ],
        { stdio: 'ignore' },
      );
  await answers(port, child);
  return {
    port,
    pid: child.pid,
    url: `smtp://127.0.0.1:${port}`,
    name: isPostfix ? 'smtp-sink' : 'mail sink',
    async close() {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await closed;
    },
  };
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`the relay ended with ${child.exitCode}`);
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isThere) return;
    await wait(50);
  }
  throw new Error('the relay does not answer');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
