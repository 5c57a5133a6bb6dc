import { execFile } from 'node:child_process';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Paths of PEM files. */
export interface Certificates {
  /** Of the authority that clients must trust. */
  authority: string;
  /** Of a server at 127.0.0.1 and localhost, signed by the authority. */
  certificate: string;
  key: string;
}

/** An authority of our own and a server certificate by it; files belong to `owner`, the user the server runs as. */
export async function createCertificates(
  directory: string,
  owner?: { uid: number; gid: number },
): Promise<Certificates> {
  await mkdir(directory, { mode: 0o755 });
  await writeFile(join(directory, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const openssl = (args: string) => execute('openssl', args.split(' '), { cwd: directory });
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  await openssl(`req -x509 ${newKey} -days 2 -subj /CN=Authority -keyout ca.key -out ca.pem`);
  await openssl(`req ${newKey} -subj /CN=localhost -keyout server.key -out server.csr`);
  const by = '-CA ca.pem -CAkey ca.key -CAcreateserial';
  await openssl(`x509 -req -in server.csr ${by} -days 2 -extfile names -out server.pem`);
  const certificates = {
    authority: join(directory, 'ca.pem'),
    certificate: join(directory, 'server.pem'),
    key: join(directory, 'server.key'),
  };
  if (owner) for (const file of Object.values(certificates)) await chown(file, owner.uid, owner.gid);
  return certificates;
}
