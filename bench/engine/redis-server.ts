import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { scratchDirectory } from './scratch.ts';

export interface RedisServer {
  port: number;
  stop(): Promise<void>;
}

/** Our own Redis server on a free loopback port; its data is deleted when it ends. */
export async function startRedis(appendFsync: 'always' | 'everysec'): Promise<RedisServer> {
  const port = await freePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: scratchDirectory(),
    appendonly: 'yes',
    appendfsync: appendFsync,
    save: '',
  };
  const parameters = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const stopWithUs = () => child.kill();
  process.once('exit', stopWithUs);
  const ready = new Promise<boolean>((resolve) => {
    child.stdout.on(
      'data',
      (chunk) => String(chunk).includes('Ready to accept connections') && resolve(true),
    );
  });
  const failed = exited.then(
    () => false,
    () => false,
  );
  if (!(await Promise.race([ready, failed]))) {
    throw new Error('redis-server did not start. Install the Debian package redis-server.');
  }
  return {
    port,
    async stop() {
      child.kill();
      await exited;
      process.off('exit', stopWithUs);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
