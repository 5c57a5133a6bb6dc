import { choice, number, parseStageConfig, type StageConfig, words } from '../../stage/stage-config.ts';

/** Keys that say which program runs and what it may use. 0 = not limited. */
export const commandSettings = {
  /** Given to `sh -c` in the program's directory. */
  COMMAND: words(''),
  /** no = cut off where the system can; never = where it can't, nothing is run; yes = left alone. */
  NETWORK: choice('no', ['yes', 'never']),
  /** Address space of each of its processes. */
  MEMORY_MB: number(8192, { min: 0 }),
  /** Largest file that it may write. */
  FILE_MB: number(1024, { min: 0 }),
  /** Processes at once; binds only who isn't root. */
  PROCESSES: number(0, { min: 0 }),
  /** All files in `out/` together. */
  OUTPUT_MB: number(1024, { min: 1 }),
  OUTPUT_FILES: number(1000, { min: 1 }),
};

export type CommandConfig = StageConfig<typeof commandSettings>;

/** Lines `KEY = value`; what follows a line `---` is the program's own configuration. */
export function splitConfig(text: string): { ours: string; programs: string } {
  const lines = text.split('\n');
  const line = lines.findIndex((each) => each.trim() === '---');
  if (line === -1) return { ours: text, programs: '' };
  return { ours: lines.slice(0, line).join('\n'), programs: lines.slice(line + 1).join('\n') };
}

/** Throws what the administrator should read. */
export function parseCommandConfig(text: string): CommandConfig & { programs: string } {
  const { ours, programs } = splitConfig(text);
  const config = parseStageConfig(ours, commandSettings);
  requireCommand(config);
  return { ...config, programs };
}

export function requireCommand({ COMMAND }: Pick<CommandConfig, 'COMMAND'>): void {
  if (COMMAND !== '') return;
  throw new Error('COMMAND is missing: the program to run, e.g. COMMAND = my-tool in/image.png out/text.txt');
}
