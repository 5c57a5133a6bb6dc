import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { makeDirectory } from '../../engine/files/make-directory.ts';
import { isSystemError } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { asPostgresUser, postgresUser, run } from '../../engine/local-servers/postgres-programs.ts';

/** One name for the administrator, the virtual host, the ZooKeeper tree and the database of a new stack. */
export const stackUser = 'stack';

/** How a stack was created. Stored in its directory, readable by its owner only; ports and passwords never change. */
const planSchema = z.strictObject({
  format: z.literal(1),
  /** The servers use a range of ports that starts here. */
  firstPort: z.int().min(1024).max(65_000),
  /** The password of the user, in RabbitMQ, ZooKeeper and PostgreSQL. */
  password: z.string().min(16),
  /** The secret that the RabbitMQ nodes share. */
  cookie: z.string().min(16),
  /** The directory of PostgreSQL's data. */
  postgres: z.string(),
  /** The last command: `stack up` or `stack down`. */
  wanted: z.enum(['up', 'down']),
});
export type StackPlan = z.infer<typeof planSchema> & { directory: string };

/** Below the range that systems use for outgoing connections. */
const firstPorts = Array.from({ length: 100 }, (_, index) => 17_500 + 50 * index);
export const portCount = 21;

const fileOf = (directory: string) => join(directory, 'stack.json');

/** Undefined when there is no stack in the directory. */
export async function readPlan(directory: string): Promise<StackPlan | undefined> {
  let text: string;
  try {
    text = await readFile(fileOf(directory), 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
  const plan = planSchema.safeParse(parseJson(text));
  if (plan.success) return { ...plan.data, directory };
  throw new PismakError(
    'configuration-invalid',
    `${fileOf(directory)} is damaged, or another version wrote it: stop the servers that run there, then remove ${directory}`,
  );
}

export async function requirePlan(directory: string): Promise<StackPlan> {
  const plan = await readPlan(directory);
  if (plan) return plan;
  throw new PismakError('not-found', `there is no stack in ${directory}; \`pismak stack up\` creates one`);
}

export async function writePlan({ directory, ...plan }: StackPlan): Promise<void> {
  const part = `${fileOf(directory)}.part`;
  await writeFile(part, `${JSON.stringify(plan, undefined, 2)}\n`, { mode: 0o600 });
  await rename(part, fileOf(directory));
}

export async function createPlan(directory: string): Promise<StackPlan> {
  const plan: StackPlan = {
    directory,
    format: 1,
    wanted: 'up',
    firstPort: await freePorts(),
    password: randomBytes(16).toString('hex'),
    cookie: randomBytes(16).toString('hex'),
    postgres: await postgresDirectory(directory),
  };
  await writeFile(join(directory, '.erlang.cookie'), plan.cookie, { mode: 0o400 });
  await writePlan(plan);
  return plan;
}

/** Creates the directory of a stack. As root, PostgreSQL's user must be able to pass through it, but not to list it. */
export async function makeStackDirectory(directory: string): Promise<void> {
  await makeDirectory(directory, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
}

/** Below the stack's directory, or in /var/tmp if PostgreSQL's user can't reach that, for instance below /root. */
async function postgresDirectory(directory: string): Promise<string> {
  const owner = await postgresUser();
  let path = join(directory, 'postgres');
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (!owner) return path;
  await chown(path, owner.uid, owner.gid);
  const [program = '', ...args] = await asPostgresUser();
  const reached = await run(program, [...args, 'test', '-w', path]).then(
    () => true,
    () => false,
  );
  if (!reached) {
    path = await mkdtemp('/var/tmp/pismak-stack-');
    await chown(path, owner.uid, owner.gid);
  }
  return path;
}

async function freePorts(): Promise<number> {
  for (const first of firstPorts) {
    const ports = Array.from({ length: portCount }, (_, index) => first + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
  throw new PismakError('unavailable', `no ${portCount} consecutive ports are free from 17500 on`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
