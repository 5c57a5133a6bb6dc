export const usage =
  'usage: npm run bench -- compare [--rounds 5] [--least 0.95] REV NAME [ARGUMENTS of the benchmark]';

export interface Words {
  /** Where the figures go. */
  json?: string;
  rounds: number;
  least: number;
  revision: string;
  /** The benchmark, and what it is told. */
  name: string;
  parameters: string[];
}

/** Options of `compare` stand before REV; what follows NAME is the benchmark's. Undefined if something is missing. */
export function readWords(all: readonly string[]): Words | undefined {
  const options: Record<string, string> = {};
  let at = 0;
  for (; all[at]?.startsWith('--'); at += 2) options[all[at] ?? ''] = all[at + 1] ?? '';
  const { '--json': json, '--rounds': rounds = '5', '--least': least = '0.95', ...others } = options;
  const [revision, name, ...parameters] = all.slice(at);
  const isUsable = Number.isInteger(Number(rounds)) && Number(rounds) > 0 && Number(least) > 0;
  if (revision === undefined || name === undefined || !isUsable || Object.keys(others).length > 0)
    return undefined;
  return {
    rounds: Number(rounds),
    least: Number(least),
    revision,
    name,
    parameters,
    ...(json ? { json } : {}),
  };
}
