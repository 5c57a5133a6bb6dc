import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { reasonOf } from '../files/system-error.ts';
import { messageOf, PismakError } from '../ground/errors.ts';
import { type Workload, workload } from './workload.ts';
import { workloads } from './workloads.ts';

/** A built-in workload, or one from a TOML or JSON file. */
export async function readWorkload(nameOrFile: string): Promise<Workload> {
  const builtIn = Object.hasOwn(workloads, nameOrFile) ? workloads[nameOrFile] : undefined;
  if (builtIn) return workload.parse({ name: nameOrFile, ...builtIn });
  return checkWorkload(await readContent(nameOrFile), nameOrFile);
}

async function readContent(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const names = Object.keys(workloads).join(', ');
    const message = `there is no workload ${file}: it is neither built in (${names}) nor a readable file (${reasonOf(cause)})`;
    throw new PismakError('invalid-input', message, { cause });
  }
  try {
    return file.endsWith('.json') ? JSON.parse(text) : parse(text);
  } catch (cause) {
    const where = cause instanceof TomlError ? `:${cause.line}` : '';
    const [what = ''] = messageOf(cause).replace('Invalid TOML document: ', '').split('\n');
    const format = file.endsWith('.json') ? 'JSON' : 'TOML';
    throw new PismakError('invalid-input', `${file}${where}: this is not ${format}: ${what}`, { cause });
  }
}

function checkWorkload(content: unknown, file: string): Workload {
  const checked = workload.safeParse(content);
  if (checked.success) return { ...checked.data, name: checked.data.name ?? basename(file, extname(file)) };
  const problems = checked.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new PismakError('invalid-input', `${file}: ${problems.join('; ')}`, { cause: checked.error });
}
