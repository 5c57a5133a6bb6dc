import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import type { SeenRequest } from './check-requests.ts';
import type { Rules } from './rules.ts';

const rulesLine = z.object({
  rules: z.object({
    reqDelayMs: z.number(),
    maxHosts: z.number(),
    maxReqs: z.number(),
    generalPauseMs: z.number(),
  }),
});
const requestLine = z.object({
  at: z.number(),
  ms: z.number(),
  address: z.string(),
  host: z.string(),
  url: z.string(),
  delayMs: z.number().optional(),
  batch: z.string().optional(),
});

/** Reads request logs, each request with its rules. Paths are files, or directories with `requests-*.jsonl.gz`. */
export async function readLog(paths: readonly string[]): Promise<SeenRequest[]> {
  const requests: SeenRequest[] = [];
  // The files in a directory belong to one crawl.
  const known = new Map<string, Rules>();
  for (const file of (await Promise.all(paths.map(logFiles))).flat()) {
    let rules: Rules | undefined;
    let number = 0;
    for await (const line of linesOf(file)) {
      number++;
      if (line === '') continue;
      const where = `${file}:${number}`;
      const value = parse(line, where);
      const said = rulesLine.safeParse(value);
      if (said.success) {
        const key = `${dirname(resolve(file))} ${JSON.stringify(said.data.rules)}`;
        rules = known.get(key) ?? said.data.rules;
        known.set(key, rules);
        continue;
      }
      const seen = requestLine.safeParse(value);
      if (!seen.success) throw noLogLine(where, seen.error);
      if (!rules) throw new PismakError('invalid-input', `${where}: no rules come before this request`);
      const { delayMs, batch, ...request } = seen.data;
      requests.push({
        ...request,
        rules,
        ...(delayMs !== undefined && { delayMs }),
        ...(batch !== undefined && { batch }),
      });
    }
  }
  return requests;
}

function parse(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw noLogLine(where, cause);
  }
}

function noLogLine(where: string, cause: unknown): PismakError {
  return new PismakError('invalid-input', `${where} is not a line of a request log`, { cause });
}

async function logFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new PismakError('not-found', `there is no file or directory ${path}`);
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => /^requests-.*\.jsonl(\.gz)?$/.test(name)).sort();
  if (names.length === 0) throw new PismakError('not-found', `there is no requests-*.jsonl.gz in ${path}`);
  return names.map((name) => join(path, name));
}

async function* linesOf(file: string): AsyncIterable<string> {
  const content = createReadStream(file);
  // An error in either stream ends the loop below.
  const input = file.endsWith('.gz') ? pipeline(content, createGunzip(), () => {}) : content;
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    throw new PismakError('invalid-input', `${file} can't be read: ${messageOf(cause)}`, { cause });
  }
}
