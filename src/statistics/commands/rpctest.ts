import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { z } from 'zod';
import { reasonOf } from '../../engine/files/system-error.ts';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import type { Client } from '../../terminal/client/client.ts';
import type { Output } from '../../terminal/output/output.ts';
import type { Shell } from '../../terminal/shell.ts';
import { statisticsRpc } from '../operations/rpc.ts';
import { statisticsSchema } from '../operations/upkeep.ts';
import { wrongField } from '../schema/wrong-field.ts';
import { beginningClient } from './begin-data.ts';
import { differences } from './differences.ts';

/** One call and its expected answer. */
const scenario = z.strictObject({
  method: z.string(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  /** Only the fields named here are compared; without it, the call must succeed. `{error: CODE}`: it must fail. */
  response: z.unknown().optional(),
  skipped: z.boolean().default(false),
});

/** Stands for the kind, so that the same scenarios test all of them. */
const placeholder = '$KIND';

/** `statistics rpctest`. */
export function addRpctest(group: Command, shell: Shell): void {
  shell
    .command(
      group,
      'rpctest <directory>',
      'Play scenarios from YAML files, in the order of their names, and compare the answers',
      'statistics rpctest scenarios/keyword --url http://127.0.0.1:7475 --key pk_...',
    )
    .option('--kind <kinds>', `kinds to substitute for ${placeholder}; default: all kinds of advertising`)
    .action(
      shell.run<{ kind?: string }>(async (session, directory = '') => {
        const { options, out } = session;
        const connected = await beginningClient(session);
        const files = await readFiles(directory);
        const kinds = files.some(({ text }) => text.includes(placeholder))
          ? (options.kind?.split(',') ?? (await kindsOf(connected)))
          : [''];
        const sum = { passed: 0, failed: 0, skipped: 0 };
        for (const kind of kinds)
          for (const { file, text } of files)
            for (const [index, one] of (await readScenarios(file, text, kind)).entries()) {
              const name = `${file}#${index + 1} ${one.method}`;
              if (one.skipped) sum.skipped++;
              else if (await passes(connected, one, name, out)) sum.passed++;
              else sum.failed++;
            }
        if (sum.passed + sum.failed + sum.skipped === 0)
          throw new PismakError('invalid-input', `the files in ${directory} have no scenarios`);
        const text = `${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`;
        if (sum.failed > 0) throw new PismakError('conflict', text);
        if (out.json) out.object(sum);
        else out.say(text);
      }),
    );
}

async function kindsOf(client: Client): Promise<string[]> {
  const { kinds } = await client.call(statisticsSchema, { schema: 'advertising' });
  return kinds.map(({ kind }) => kind);
}

/** All YAML files below a directory, in the order of their paths. */
async function readFiles(directory: string): Promise<{ file: string; text: string }[]> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    if (files.length > 0)
      return await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, 'utf8') })));
  } catch (cause) {
    throw new PismakError('invalid-input', `can't read ${directory}: ${reasonOf(cause)}`, { cause });
  }
  throw new PismakError('invalid-input', `${directory} has no files that end in .yml or .yaml`);
}

async function readScenarios(file: string, text: string, kind: string): Promise<z.output<typeof scenario>[]> {
  const { parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(text.replaceAll(placeholder, kind));
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new PismakError('invalid-input', `${file}: ${error.message}`);
    const value = contentOf(document, file);
    return (Array.isArray(value) ? value : [value]).map((one: unknown, index) => {
      const read = scenario.safeParse(one);
      if (read.success) return read.data;
      throw new PismakError('invalid-input', `${file}, scenario ${index + 1}: ${wrongField(read.error)}`);
    });
  });
}

/** YAML aliases that expand without bound are refused only here. */
function contentOf(document: { toJS(): unknown }, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new PismakError('invalid-input', `${file}: ${messageOf(error)}`, { cause: error });
  }
}

async function passes(
  client: Client,
  { method, parameters, response }: z.output<typeof scenario>,
  name: string,
  out: Output,
): Promise<boolean> {
  let got: unknown;
  try {
    got = (await client.call(statisticsRpc, { method, parameters })).result;
  } catch (error) {
    if (!(error instanceof PismakError) || error.code === 'unavailable') throw error;
    got = { error: error.code, message: messageOf(error) };
    if (response === undefined) {
      out.say(`FAILED ${name}: ${messageOf(error)}`);
      return false;
    }
  }
  if (response === undefined) return true;
  const found = differences(response, got);
  if (found.length === 0 || isDeepStrictEqual(response, got)) return true;
  out.say(`FAILED ${name}`);
  out.say(`  expected: ${JSON.stringify(response)}`);
  out.say(`  got:      ${JSON.stringify(got)}`);
  for (const line of found) out.say(`  difference: ${line}`);
  return false;
}
