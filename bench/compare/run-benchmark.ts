import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Comparable } from '../comparable.ts';

/** Runs a benchmark of a tree as `npm run bench -- NAME` would there; resolves to its own figures. */
export async function runBenchmark(
  tree: string,
  name: string,
  parameters: readonly string[],
): Promise<Comparable[]> {
  const program = join('bench', `${name}.ts`);
  if (!existsSync(join(tree, program))) throw new Error(`there is no ${program} in ${tree}`);
  const scratch = await mkdtemp(join(tmpdir(), 'pismak-compare-'));
  try {
    const file = join(scratch, 'figures.json');
    const child = spawn(process.execPath, [program, '--json', file, '--alone', ...parameters], {
      cwd: tree,
      stdio: 'inherit',
    });
    const code = await new Promise((done) => child.once('close', (status, signal) => done(status ?? signal)));
    if (code !== 0) throw new Error(`${program} in ${tree} ended with ${code}`);
    const { comparable = [] } = JSON.parse(await readFile(file, 'utf8')) as { comparable?: Comparable[] };
    if (comparable.length === 0)
      throw new Error(`${program} in ${tree} has no figures to compare with these arguments`);
    return comparable;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
