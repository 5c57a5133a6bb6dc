import { readFile, writeFile } from 'node:fs/promises';
import { isSystemError } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { type StackPlan, stackUser } from './stack-plan.ts';
import { stackServers } from './stack-servers.ts';

/** The settings for `pismak up` and workers on this stack. */
export function stackSettings(plan: StackPlan) {
  const { rabbitmq, zookeeper, postgres } = stackServers(plan);
  const hosts = (servers: readonly { port: number }[]) =>
    servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const credentials = `${stackUser}:${plan.password}`;
  const store = `postgres://${credentials}@${hosts(postgres)}/${stackUser}`;
  return {
    broker: `amqp://${credentials}@${hosts(rabbitmq)}/${stackUser}`,
    coordination: `zookeeper://${credentials}@${hosts(zookeeper)}/${stackUser}`,
    database: store,
    blobs: store,
  };
}

const firstLine = '# Written by `pismak stack up`. Holds passwords.';

export function stackToml(plan: StackPlan): string {
  const lines = Object.entries(stackSettings(plan)).map(([name, url]) => `${name} = ${JSON.stringify(url)}`);
  return [firstLine, ...lines, '', '[rabbitmq]', 'consumerTimeoutMs = 10800000', ''].join('\n');
}

/** Writes the settings to a file. Never overwrites a file that `pismak stack` did not write. */
export async function writeToml(plan: StackPlan, file: string): Promise<void> {
  const text = stackToml(plan);
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
    if (!(await readFile(file, 'utf8')).startsWith(firstLine)) {
      throw new PismakError(
        'already-exists',
        `${file} exists and was not written by \`pismak stack\`: name another file, or copy the lines without --toml`,
      );
    }
    await writeFile(file, text);
  }
}
