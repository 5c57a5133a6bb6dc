import { Command } from 'commander';
import type { CommandGroup, House } from '../engine/house.ts';
import { type AddGroup, collect } from '../terminal/command-group.ts';
import { exitCodesHelp } from '../terminal/exit-codes.ts';
import type { Surroundings } from '../terminal/session.ts';
import { createShell } from '../terminal/shell.ts';
import { engineCommands } from './engine-commands.ts';

/** All command groups by heading: the engine's, and one heading for each house. */
function commandGroups(
  houses: readonly House[],
): Readonly<Record<string, Readonly<Record<string, CommandGroup>>>> {
  const { Start, ...others } = engineCommands;
  return {
    ...(Start && { Start }),
    ...Object.fromEntries(houses.map((house) => [house.title, house.commands])),
    ...others,
  };
}

/** The names of all groups. */
export function groupNames(houses: readonly House[]): string[] {
  return Object.values(commandGroups(houses)).flatMap((groups) => Object.keys(groups));
}

/** The whole command line, with the groups that `words` name filled in. */
export async function createProgram(surroundings: Surroundings, words: readonly string[]): Promise<Command> {
  const shell = createShell(surroundings);
  const asksVersion = words.some((word) => word === '-V' || word === '--version');
  const { version } = asksVersion ? await import('../engine/ground/version.ts') : { version: '' };
  const program = new Command('pismak')
    .description('Queues, workers and a watchdog that moves workers to where work waits')
    .version(version)
    .option('--config <file>', 'settings file (default: pismak.toml if it exists; PISMAK_CONFIG)')
    .option('--data <directory>', 'data directory (default: .pismak; PISMAK_DATA)')
    .option('--set <name=value>', 'any setting, e.g. http.port=8080; may be repeated', collect)
    .option('--url <url>', 'act on another machine (PISMAK_URL)')
    .option('--key <key>', 'API key for that machine (PISMAK_KEY)')
    .option('--json', 'print data as JSON')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => void surroundings.stdout.write(text),
      writeErr: (text) => void surroundings.stderr.write(text),
    })
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .addHelpText(
      'after',
      `\nExample:\n  $ pismak up\n  $ pismak dummy --count 1000\n  $ pismak status\n${exitCodesHelp}`,
    );
  takeJsonAsData(program);
  for (const [heading, groups] of Object.entries(commandGroups(surroundings.houses))) {
    for (const [name, { summary, load }] of Object.entries(groups)) {
      const group = program.command(name).description(summary).helpGroup(`${heading}:`);
      // Loaded only when named on the command line: `pismak --help` needs no more than the table.
      if (words.includes(name)) ((await load()).default as AddGroup)(group, shell);
    }
  }
  return program;
}

/** `--data` with JSON names no directory: commands that take data (`mail send`) find it in `dataGiven`. */
function takeJsonAsData(program: Command): void {
  let directory: string | undefined;
  program.on('option:data', (text: string) => {
    if (!text.trimStart().startsWith('{')) {
      directory = text;
      return;
    }
    program.setOptionValue('dataGiven', text);
    program.setOptionValue('data', directory);
  });
}
