import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from './database/database.ts';
import { PismakError } from './ground/errors.ts';
import { checkAllowed } from './processor/command/allowed-programs.ts';
import { commandSettings, ofProgram, parseCommandConfig } from './processor/command/command-config.ts';
import { dummyProcessor } from './processor/dummy.ts';
import type { ProcessorRegistration } from './processor/processor.ts';
import { createProcessors, type Processors } from './processor/processors.ts';
import type { Settings } from './settings/settings.ts';
import type { Clock } from './time/clock.ts';
import { webhookProcessor } from './webhook/webhook.ts';

/** Runs any program as a stage; belongs to no house. */
const commandProcessor: ProcessorRegistration = {
  name: 'command',
  summary: 'runs a program that pismak.toml allows on the files of the request (COMMAND), with limits',
  check(config, { commands }) {
    checkAllowed(parseCommandConfig(config).COMMAND, commands);
  },
  settings: commandSettings,
  besides: ofProgram,
  module: new URL('./processor/command/command.ts', import.meta.url),
  // Its program has no network access unless NETWORK = yes.
  network: true,
};

/** The engine's own processors and those that the settings name. Houses add theirs. */
export function registerProcessors(parts: {
  settings: Settings;
  clock: Clock;
  database: Database;
  /** Processors of the houses. */
  more?: readonly ProcessorRegistration[] | undefined;
}): Processors {
  const processors = createProcessors({ commands: parts.settings.command.allow });
  processors.register(dummyProcessor(parts.clock));
  processors.register(commandProcessor);
  processors.register(webhookProcessor({ ...parts, allowPrivate: parts.settings.webhook.allowPrivate }));
  for (const registration of parts.more ?? []) processors.register(registration);
  for (const [name, path] of Object.entries(parts.settings.processors)) {
    checkOwn(name, path, processors);
    const module = pathToFileURL(resolve(path));
    processors.register({ name, summary: `from ${path}`, module, network: true });
  }
  return processors;
}

/** Reports wrong paths at start, not after the first request has waited for an hour. */
function checkOwn(name: string, path: string, processors: Processors): void {
  const refuse = (reason: string) =>
    new PismakError('configuration-invalid', `setting processors.${name} = "${path}": ${reason}`);
  if (processors.list().some((known) => known.name === name))
    throw refuse('there is a processor of this name already');
  if (!statSync(resolve(path), { throwIfNoEntry: false })?.isFile())
    throw refuse(`there is no file ${resolve(path)}`);
}
