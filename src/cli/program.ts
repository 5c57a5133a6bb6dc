import { Command } from 'commander';
import { type AddGroup, collect } from '../terminal/command-group.ts';
import { exitCodesHelp } from '../terminal/exit-codes.ts';
import type { Surroundings } from '../terminal/session.ts';
import { createShell } from '../terminal/shell.ts';

interface Group {
  summary: string;
  load(): Promise<{ default: AddGroup }>;
}

/** Loaded only when named on the command line: `pismak --help` needs no more than this table. */
const groups: Readonly<Record<string, Group>> = {
  up: {
    summary: 'Start everything: API, workers, watchdog',
    load: () => import('./commands/up.ts'),
  },
  transcribe: {
    summary: 'Read scans: one command, from images to text, PAGE XML, ALTO and PDF',
    load: () => import('../transcription/commands/transcribe.ts'),
  },
  document: {
    summary: 'Have scans read by what runs, see how far they are, get the results',
    load: () => import('../transcription/commands/document.ts'),
  },
  upload: {
    summary: 'See and give up what was uploaded in parts and no document has yet',
    load: () => import('./commands/upload.ts'),
  },
  search: {
    summary: 'Find words in what was read',
    load: () => import('../transcription/commands/search.ts'),
  },
  usage: {
    summary: 'See and limit how many pages are read for whom, and how much is stored',
    load: () => import('../transcription/commands/usage.ts'),
  },
  status: {
    summary: 'Show health, queues, workers and rates at a glance',
    load: () => import('./commands/status.ts'),
  },
  stage: { summary: 'Define what is done with requests, and how', load: () => import('./commands/stage.ts') },
  pipeline: { summary: 'Name lists of stages', load: () => import('./commands/pipeline.ts') },
  queue: {
    summary: 'Look into queues, pause them, deal with dead letters',
    load: () => import('./commands/queue.ts'),
  },
  worker: { summary: 'See and steer workers', load: () => import('./commands/worker.ts') },
  watchdog: { summary: 'See how work is shared out, and why', load: () => import('./commands/watchdog.ts') },
  trace: {
    summary: 'Draw who served what when, and how long queues were',
    load: () => import('./commands/trace.ts'),
  },
  simulate: {
    summary: 'Try out how workers are shared out, in virtual time',
    load: () => import('./commands/simulate.ts'),
  },
  publish: { summary: 'Send files through stages', load: () => import('./commands/publish.ts') },
  results: { summary: 'Collect what is finished', load: () => import('./commands/results.ts') },
  timing: {
    summary: 'Tell where the time of finished requests went',
    load: () => import('./commands/timing.ts'),
  },
  evaluate: {
    summary: 'Compare what was read with what should have been',
    load: () => import('../transcription/commands/evaluate.ts'),
  },
  dummy: { summary: 'Make load: send generated requests', load: () => import('./commands/dummy.ts') },
  schedule: { summary: 'Do things at certain times', load: () => import('./commands/schedule.ts') },
  alert: { summary: 'See what is wrong', load: () => import('./commands/alert.ts') },
  event: { summary: 'See what has happened lately', load: () => import('./commands/event.ts') },
  coordination: {
    summary: 'Look into the tree where workers and services meet',
    load: () => import('./commands/coordination.ts'),
  },
  server: { summary: 'See and set the addresses of the servers', load: () => import('./commands/server.ts') },
  user: { summary: 'Manage who may sign in', load: () => import('./commands/user.ts') },
  key: { summary: 'Manage keys for programs', load: () => import('./commands/key.ts') },
  audit: { summary: 'See who changed what', load: () => import('./commands/audit.ts') },
  config: {
    summary: 'Show every setting and where it comes from',
    load: () => import('./commands/config.ts'),
  },
  backup: {
    summary: 'Write everything into one file, while it runs',
    load: () => import('./commands/backup.ts'),
  },
  restore: { summary: 'Make a data directory from a backup', load: () => import('./commands/restore.ts') },
  stack: {
    summary: 'Run RabbitMQ, ZooKeeper and PostgreSQL on this machine, to try the at-scale tier',
    load: () => import('./commands/stack.ts'),
  },
  doctor: {
    summary: 'Check the installation and say what to do',
    load: () => import('./commands/doctor.ts'),
  },
};

export const groupNames: readonly string[] = Object.keys(groups);

/** The whole command line, with the groups that `words` name filled in. */
export async function createProgram(surroundings: Surroundings, words: readonly string[]): Promise<Command> {
  const shell = createShell(surroundings);
  const asksVersion = words.some((word) => word === '-V' || word === '--version');
  const { version } = asksVersion ? await import('../engine/version.ts') : { version: '' };
  const program = new Command('pismak')
    .description('Queues, workers and a watchdog that moves workers to where work waits')
    .version(version)
    .option('--config <file>', 'settings file (default: pismak.toml, if there is one; PISMAK_CONFIG)')
    .option('--data <directory>', 'data directory (default: .pismak; PISMAK_DATA)')
    .option('--set <name=value>', 'any setting, e.g. http.port=8080; may be repeated', collect)
    .option('--url <url>', 'act on another machine (PISMAK_URL)')
    .option('--key <key>', 'the key to show there (PISMAK_KEY)')
    .option('--json', 'print data as JSON')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => void surroundings.stdout.write(text),
      writeErr: (text) => void surroundings.stderr.write(text),
    })
    .showHelpAfterError('(--help says more)')
    .exitOverride()
    .addHelpText(
      'after',
      `\nExample:\n  $ pismak up\n  $ pismak dummy --count 1000\n  $ pismak status\n${exitCodesHelp}`,
    );
  for (const [name, { summary, load }] of Object.entries(groups)) {
    const group = program.command(name).description(summary);
    if (words.includes(name)) (await load()).default(group, shell);
  }
  return program;
}
