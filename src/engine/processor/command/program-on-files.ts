import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { placeNames } from '../../files/safe-names.ts';
import { withWorkDirectory } from '../../files/work-directory.ts';
import { PermanentFailure } from '../processor.ts';
import type { CommandConfig } from './command-config.ts';
import type { Isolation } from './isolation.ts';
import { readOutput } from './output-files.ts';
import { runProgram } from './run-program.ts';

export interface ProgramOnFiles {
  config: CommandConfig & { programs: string };
  isolation: Isolation;
  /** Name to content. */
  files: ReadonlyMap<string, Uint8Array>;
  /** Files of the stage: name to path. */
  stageFiles: ReadonlyMap<string, string>;
  environment: Readonly<Record<string, string>>;
  signal: AbortSignal;
  log(line: string): void;
}

/** The exit code of a program for which a retry can't help: EX_DATAERR of sysexits.h. */
const badInput = 65;
const mostLines = 500;
const lastLines = 5;

/**
 * Runs the program in its own directory: `in/` has the files, `stage/` the files of the stage, `config` its configuration,
 * and `files.json` the place of each file in `in/`. Returns what it wrote to `out/`.
 */
export function runOnFiles(run: ProgramOnFiles): Promise<Map<string, Uint8Array>> {
  const { config, log } = run;
  return withWorkDirectory(async (directory) => {
    const places = placeNames([...run.files.keys()]);
    await fill(directory, run, places);
    const last: string[] = [];
    let lines = 0;
    const { code, killedBy } = await runProgram({
      command: [...run.isolation.prefix, '/bin/sh', '-c', config.COMMAND],
      directory,
      environment: { ...ownEnvironment(directory), ...run.environment },
      signal: run.signal,
      onLine(line) {
        last.push(line);
        if (last.length > lastLines) last.shift();
        if (++lines <= mostLines) log(line);
        else if (lines === mostLines + 1) log(`[more than ${mostLines} lines: the rest is left out]`);
      },
    });
    if (code !== 0) {
      const how = killedBy ? `was killed by ${killedBy}` : `failed with exit code ${code}`;
      const reason = [`the program ${how}`, ...last].join('\n');
      throw code === badInput ? new PermanentFailure(reason) : new Error(reason);
    }
    const limits = { files: config.OUTPUT_FILES, bytes: config.OUTPUT_MB * 1024 * 1024 };
    const written = await readOutput(join(directory, 'out'), limits, log);
    // Back to the original names, in case a file had to be renamed.
    const names = new Map([...places].map(([name, place]) => [place, name]));
    return new Map([...written].map(([place, content]) => [names.get(place) ?? place, content]));
  });
}

async function fill(directory: string, run: ProgramOnFiles, places: ReadonlyMap<string, string>) {
  for (const folder of ['in', 'out', 'stage', 'tmp']) await mkdir(join(directory, folder));
  for (const [name, content] of run.files) {
    const path = join(directory, 'in', places.get(name) ?? name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  const stagePlaces = placeNames([...run.stageFiles.keys()]);
  for (const [name, target] of run.stageFiles) {
    const path = join(directory, 'stage', stagePlaces.get(name) ?? name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
  }
  await writeFile(join(directory, 'config'), run.config.programs);
  await writeFile(join(directory, 'files.json'), JSON.stringify(Object.fromEntries(places)));
}

/** The environment that programs need to run, without secrets. */
function ownEnvironment(directory: string): Record<string, string> {
  const kept = ['PATH', 'LANG', 'LC_ALL', 'TZ'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), HOME: directory, TMPDIR: join(directory, 'tmp') };
}
