/**
 * `npm run expressions` judges the regular expressions of src/ that are not yet in expressions/verdicts.json, drops those that are gone,
 * and prints what is wrong; `expressions.test.ts` does the same without writing. `--again` judges all of them, in minutes.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokenExpressions } from './expressions/check.ts';
import { collect } from './expressions/collect.ts';
import { judge, readVerdicts, type Verdicts, writeVerdicts } from './expressions/verdicts.ts';
import { isTest, type Sources } from './import-rules.ts';

const root = join(import.meta.dirname, '..');

export function productSources(): Sources {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !isTest(file));
  return new Map(files.toSorted().map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** A verdict for each expression of the sources, from those known or new. */
export async function verdictsFor(sources: Sources, known: Verdicts): Promise<Verdicts> {
  const verdicts = new Map<string, string>();
  for (const [file, source] of sources) {
    for (const { text, isBuilt } of collect(file, source).expressions) {
      if (!isBuilt && !verdicts.has(text)) verdicts.set(text, known.get(text) ?? (await judge(text)));
    }
  }
  return verdicts;
}

if (import.meta.main) {
  const sources = productSources();
  const known = process.argv.includes('--again') ? new Map<string, string>() : readVerdicts();
  const verdicts = await verdictsFor(sources, known);
  writeVerdicts(verdicts);
  const broken = brokenExpressions(sources, verdicts);
  for (const fault of broken) console.error(fault);
  if (broken.length === 0) console.log(`${verdicts.size} expressions are linear or say why not`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}
