import type { Engine } from '../../engine/composition/engine.ts';
import { type House, loadHouses } from '../../engine/house.ts';
import { freeMemoryWhenIdle } from '../../engine/process/idle-memory.ts';
import { serverNames } from '../../engine/servers/server-addresses.ts';
import type { LoadedSettings } from '../../engine/settings/load.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import { withDeadline } from '../../engine/time/deadline.ts';
import { startSystem } from '../../server/system.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { formatCount } from '../../terminal/output/format.ts';
import { LiveLines } from '../../terminal/output/live-lines.ts';
import { buildConsole } from './build-console.ts';
import { showStatus } from './terminal-status.ts';

/** The command to type in this installation: a checkout runs from source, a package is compiled. */
const commandName = import.meta.filename.endsWith('.ts') ? 'bin/pismak' : 'npx pismak';

/** `pismak up`: runs everything in this process until a signal stops it. */
export async function up(
  { settings, origins, file }: LoadedSettings,
  houses: readonly House[],
  { buildsConsole }: { buildsConsole: boolean },
): Promise<void> {
  // Unlike other commands, `up` survives a closed terminal or pipe (`pismak up | head`).
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners('error').on('error', () => {});
  process.on('SIGHUP', () => {});
  const live = process.stdout.isTTY ? new LiveLines(process.stdout) : undefined;
  const print = (line: string) => (live ? live.print(line) : console.log(line));
  const stopped = stopSignal(print);

  const { engine, server, close } = await startSystem(settings, {
    purpose: 'pismak up',
    configurationFile: file,
    settingOrigins: origins,
    houses: await loadHouses(houses),
    console: print,
  });
  const setupLink = await server.setupLink();
  print('');
  print(`Pismak is ready at ${server.url} (API under /api/v1, its documentation at ${server.url}/docs)`);
  print(
    `${describeState(settings, engine.directory.path)}; ${formatCount(settings.worker.count, 'worker')} here`,
  );
  if (setupLink) print(`Create the first administrator with this one-time link: ${setupLink}`);
  print(`To see it work, run in another terminal: ${commandName} dummy --count 60`);
  if (buildsConsole && settings.console.enabled) void buildConsole(print);
  const status = live && showStatus(engine, live, server.url);
  const stopFreeing = freeMemoryWhenIdle(engine.clock);

  await stopped;
  stopFreeing();
  status?.close();
  const underWay = await countUnderWay(engine);
  print(`Stopping: ${underWay} may finish; Ctrl-C again stops at once, and nothing is lost either way`);
  if (await close()) return print('Stopped');
  print('Stopped uncleanly: servers did not answer. Nothing is lost');
  // Pending calls to these servers would keep the process alive.
  process.exit(exitCodes.failed);
}

/** Says where state is stored. Omits the addresses of servers: they are long, and `pismak server ls` shows them. */
export function describeState(settings: Settings, directory: string): string {
  const [, blobs = ''] = settings.blobs.split(/^directory:/);
  const local = serverNames.filter((name) => /^(sqlite|embedded|directory):/.test(settings[name]));
  const remote = serverNames.filter((name) => !local.includes(name));
  const here = local.filter((name) => name !== 'blobs' || blobs === '');
  const places = [
    ...(remote.length > 0 ? [`on servers (${remote.join(', ')}; see \`pismak server ls\`)`] : []),
    ...(here.length > 0 ? [`in ${directory}`] : []),
    ...(blobs === '' ? [] : [`in ${blobs} (blobs)`]),
  ];
  const rest = here.length > 0 ? '' : `; logs and caches are in ${directory}`;
  return `State is ${places.join(' and ')}${rest}`;
}

/** Limited in time: users who stop Pismak because a server is down must not wait for that server. */
async function countUnderWay({ broker, clock }: Engine): Promise<string> {
  const unknown = () => 'running work';
  const counting = broker
    .status()
    .then(
      (queues) => `${queues.reduce((sum, queue) => sum + queue.inFlight, 0)} messages in progress`,
      unknown,
    );
  return withDeadline(clock, 2_000, counting, unknown);
}

/** Resolves at the first SIGINT or SIGTERM; the second one ends the process at once. */
function stopSignal(print: (line: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (asked) {
          print('Stopped at once');
          process.exit(signal === 'SIGINT' ? 130 : 143);
        }
        asked = true;
        resolve();
      });
    }
  });
}
