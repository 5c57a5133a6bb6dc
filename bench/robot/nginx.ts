import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../src/engine/testing/servers/free-port.ts';

/** nginx with one worker on a free port of loopback, serving a directory; with `listings`, the contents of each folder instead of its index.html. */
export async function serveWithNginx(
  directory: string,
  files: string,
  { listings = false } = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const port = await freePort();
  const temporary = join(directory, 'nginx');
  await mkdir(temporary, { recursive: true });
  const configuration = `
    ${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes 1; pid ${temporary}/pid; error_log ${temporary}/error.log;
    events { worker_connections 1024; }
    http {
      include /etc/nginx/mime.types; access_log off; sendfile on; keepalive_requests 1000000;
      client_body_temp_path ${temporary}/a; proxy_temp_path ${temporary}/b; fastcgi_temp_path ${temporary}/c;
      uwsgi_temp_path ${temporary}/d; scgi_temp_path ${temporary}/e; open_file_cache max=5000;
      server { listen 127.0.0.1:${port} backlog=4096; root ${files}; charset utf-8; ${listings ? 'autoindex on; index none;' : ''} }
    }`;
  const file = join(temporary, 'nginx.conf');
  await writeFile(file, configuration);
  const child = spawn('nginx', ['-c', file, '-e', join(temporary, 'error.log')], { stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}/`;
  for (let attempt = 0; attempt < 200; attempt++) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    async close() {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}
