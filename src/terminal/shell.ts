import type { Command } from 'commander';
import type { Client } from './client/client.ts';
import { createOutput } from './output/output.ts';
import { type Progress, startProgress } from './output/progress.ts';
import type { GlobalOptions, Session, Surroundings } from './session.ts';

/** Builds commands: each has a summary, at least one example, and an action that gets a session. */
export interface Shell {
  /** `usage` is the name with its arguments: `priority <stage> <priority>`; if empty, the command is the parent itself. */
  command(parent: Command, usage: string, summary: string, ...examples: string[]): Command;
  /** Keeps the old name of a command for one version: hidden from help, with a note on stderr that names the new one. */
  renamed(parent: Command, old: string, name: string): void;
  /** The action of a command; arguments come after the session. */
  run<Options extends object = object, Arguments extends unknown[] = string[]>(
    work: (session: Session<Options>, ...parameters: Arguments) => Promise<void>,
  ): (...all: unknown[]) => Promise<void>;
}

export function createShell(surroundings: Surroundings): Shell {
  return {
    command(parent, usage, summary, ...examples) {
      const lines = examples.map((example) => `  $ pismak ${example}`);
      const command = usage === '' ? parent : parent.command(usage).description(summary);
      return command.addHelpText(
        'after',
        `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n${lines.join('\n')}`,
      );
    },
    renamed(parent, old, name) {
      // Pass on every word as typed, even `--help`, so that only the new command reads and checks them.
      parent
        .command(old, { hidden: true })
        .helpOption(false)
        .allowUnknownOption()
        .argument('[words...]')
        .action(async (words: string[]) => {
          const path = pathOf(parent).join(' ');
          surroundings.stderr.write(
            `\`${path} ${old}\` is now \`${path} ${name}\`; the next version drops the old name\n`,
          );
          await parent.parseAsync([name, ...words], { from: 'user' });
        });
    },
    run:
      (work) =>
      async (...all) => {
        // Commander gives the arguments, then the options, then the command itself.
        const command = all.at(-1) as Command;
        const session = openSession(surroundings, command.optsWithGlobals());
        try {
          await work(session as never, ...(all.slice(0, -2) as never));
        } finally {
          await session.close();
        }
      },
  };
}

/** `['stage']`: the words before a subcommand, without the name of the program. */
export function pathOf(group: Command): string[] {
  return group.parent ? [...pathOf(group.parent), group.name()] : [];
}

function openSession(
  surroundings: Surroundings,
  options: GlobalOptions,
): Session & { close(): Promise<void> } {
  const { stdout, stderr, environment, clock, signal, houses } = surroundings;
  const bars: Progress[] = [];
  let opened: Promise<Client> | undefined;
  let loaded: ReturnType<Surroundings['loadSettings']> | undefined;
  const settings = () => {
    loaded ??= surroundings.loadSettings(options);
    return loaded;
  };
  const destination = {
    url: options.url ?? environment.PISMAK_URL,
    key: options.key ?? environment.PISMAK_KEY,
  };
  return {
    options,
    stderr,
    clock,
    signal,
    houses,
    settings,
    remote: destination.url !== undefined,
    out: createOutput({ stdout, stderr, json: options.json ?? false }),
    client() {
      opened ??= surroundings.openClient({ destination, settings });
      return opened;
    },
    openWork: (work) => surroundings.openWork(work),
    progress(what, total) {
      const bar = startProgress({ stderr, clock, what, total });
      bars.push(bar);
      return bar;
    },
    async close() {
      for (const bar of bars) bar.close();
      await opened?.then((client) => client.close()).catch(() => {});
    },
  };
}
