import { resolve } from 'node:path';
import { lockDirectory } from '../../engine/data-directory/directory-lock.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { missingPackages } from '../../engine/local-servers/debian-packages.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { formatBytes, formatCount } from '../../terminal/output/format.ts';
import { createPlan, makeStackDirectory, readPlan, requirePlan, writePlan } from '../stack/stack-plan.ts';
import { stackSettings, stackToml, writeToml } from '../stack/stack-settings.ts';
import { promotionOf, stackStatus } from '../stack/stack-status.ts';
import { startStack } from '../stack/start-stack.ts';
import { deleteStack, stopStack } from '../stack/stop-stack.ts';

interface Options {
  directory: string;
  toml?: string;
  delete?: boolean;
}

const add: AddGroup = (group, { command, run }) => {
  const directory = ['--directory <directory>', 'where the stack keeps its state', '.pismak-stack'] as const;

  command(
    group,
    'up',
    'Start RabbitMQ x3, ZooKeeper x3 and PostgreSQL with a standby on this machine, to try the at-scale tier; servers that already run are left alone',
    'stack up',
    'stack up --toml stack.toml && pismak up --config stack.toml',
  )
    .option(...directory)
    .option('--toml <file>', 'write the settings to this file instead of printing them')
    .action(
      run<Options>(async ({ out, options, clock, signal }) => {
        requirePackages();
        const path = resolve(options.directory);
        await makeStackDirectory(path);
        const started = await withLock(path, async () => {
          const plan = (await readPlan(path)) ?? (await createPlan(path));
          await writePlan({ ...plan, wanted: 'up' });
          return startStack(plan, { clock, signal, say: (sentence) => out.say(sentence) });
        });
        const plan = await requirePlan(path);
        out.say(
          started.length === 0
            ? `the stack in ${path} already runs`
            : `the stack in ${path} runs; \`pismak stack down\` stops it`,
        );
        if (options.toml !== undefined) {
          await writeToml(plan, options.toml);
          out.say(`its settings are in ${options.toml}: \`pismak up --config ${options.toml}\``);
        }
        if (out.json) return out.object({ directory: path, started, settings: stackSettings(plan) });
        if (options.toml === undefined) out.text(`\nFor pismak.toml:\n\n${stackToml(plan)}`);
      }),
    );

  command(
    group,
    'status',
    'Show the servers; fail unless all are up',
    'stack status',
    'stack status --directory /tmp/try --json',
  )
    .option(...directory)
    .action(
      run<Options>(async ({ out, options }) => {
        const path = resolve(options.directory);
        const plan = await requirePlan(path);
        const servers = await stackStatus(plan);
        out.list(servers, [
          { title: 'server', of: (row) => row.server },
          { title: 'state', of: (row) => row.state },
          { title: 'role', of: (row) => row.role },
          { title: 'port', of: (row) => row.port },
          { title: 'pid', of: (row) => row.pid },
          { title: 'memory', of: (row) => (row.memory === null ? null : formatBytes(row.memory)) },
        ]);
        const promotion = await promotionOf(plan, servers);
        if (promotion) out.say(promotion);
        const down = servers.filter(({ state }) => state !== 'up');
        if (down.length > 0) {
          const count = formatCount(down.length, 'server is', 'servers are');
          throw new PismakError('unavailable', `${count} not up; \`pismak stack up\` starts them`);
        }
      }),
    );

  command(
    group,
    'down',
    'Stop the servers; their state stays unless --delete is given',
    'stack down',
    'stack down --delete',
  )
    .option(...directory)
    .option('--delete', 'also delete all stored data')
    .action(
      run<Options>(async ({ out, options, clock }) => {
        const path = resolve(options.directory);
        const plan = await requirePlan(path);
        const stopped = await withLock(path, () => stopStack(plan, clock));
        if (options.delete) await deleteStack(plan);
        out.say(
          stopped.length === 0
            ? `the stack in ${path} was not running`
            : `${formatCount(stopped.length, 'server is', 'servers are')} stopped`,
        );
        if (options.delete) out.say(`${path} is removed`);
      }),
    );
};
export default add;

function requirePackages(): void {
  const missing = missingPackages().join(' ');
  if (missing === '') return;
  throw new PismakError(
    'unavailable',
    `Debian packages are missing: ${missing}. As root: apt-get update && apt-get install -y --no-install-recommends ${missing}`,
  );
}

/** Without the lock, two commands at once would start servers twice. */
async function withLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const unlock = lockDirectory(directory);
  if (!unlock)
    throw new PismakError(
      'conflict',
      `another \`pismak stack\` command runs in ${directory}; wait until it ends`,
    );
  try {
    return await work();
  } finally {
    unlock();
  }
}
