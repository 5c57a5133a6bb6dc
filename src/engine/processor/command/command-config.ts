import { choice, number, parseStageConfig, type StageConfig, shellLine } from '../../stage/stage-config.ts';

/** Keys that define which program runs and what it may use. 0 = not limited. */
export const commandSettings = {
  COMMAND: shellLine('', "the program to run, by sh in the program's directory"),
  NETWORK: choice(
    'no',
    ['yes', 'never'],
    'no: cut off if the system allows that; never: cut off, or refuse to run; yes: allowed',
  ),
  MEMORY_MB: number(8192, 'limit on the address space of each of its processes', { min: 0 }),
  FILE_MB: number(1024, 'size limit of each file it writes', { min: 0 }),
  PROCESSES: number(0, 'limit on processes at once; root is exempt', { min: 0 }),
  OUTPUT_MB: number(1024, 'size limit of all files in out/ together', { min: 1 }),
  OUTPUT_FILES: number(1000, 'limit on the number of files in out/', { min: 1 }),
};

/** What else a configuration may have, see `splitConfig`. */
export const ofProgram = "after a line `---`, the program's own configuration";

export type CommandConfig = StageConfig<typeof commandSettings>;

/** Lines `KEY = value`; the text after a line `---` is the program's own configuration. */
export function splitConfig(text: string): { ours: string; programs: string } {
  const lines = text.split('\n');
  const line = lines.findIndex((each) => each.trim() === '---');
  if (line === -1) return { ours: text, programs: '' };
  return { ours: lines.slice(0, line).join('\n'), programs: lines.slice(line + 1).join('\n') };
}

/** Throws messages for the administrator. */
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
