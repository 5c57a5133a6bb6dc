import { join } from 'node:path';
import { readJson } from '../../engine/files/read-json.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const neededNode = 24;

export function checkNode(version = process.versions.node): Finding {
  const major = Number(version.split('.')[0]);
  if (major >= neededNode) return ok('node', `version ${version}`);
  return fail(
    'node',
    `version ${version}`,
    `Node >= ${neededNode} is needed: start it by bin/pismak, or install it`,
  );
}

interface Lock {
  packages: Record<string, { version?: string; optional?: boolean; dev?: boolean }>;
}

/** Whether what is installed is what the lock file says. */
export async function checkPackages(directory = root): Promise<Finding> {
  const advice = `run \`npm install\` in ${directory}`;
  const wanted = (await readJson(join(directory, 'package-lock.json'))) as Lock | undefined;
  if (!wanted)
    return warn(
      'packages',
      'there is no package-lock.json to compare with',
      'use a checkout of the repository',
    );
  const installed = (await readJson(join(directory, 'node_modules', '.package-lock.json'))) as
    | Lock
    | undefined;
  if (!installed) return fail('packages', 'nothing is installed', advice);
  const wrong = Object.entries(wanted.packages).flatMap(([path, { version, optional, dev }]) => {
    if (path === '' || optional || dev) return [];
    const found = installed.packages[path]?.version;
    return found === version
      ? []
      : [`${path.replace(/^.*node_modules\//, '')} ${found ?? 'missing'} (${version} wanted)`];
  });
  if (wrong.length === 0) return ok('packages', 'as the lock file says');
  return fail(
    'packages',
    wrong.slice(0, 5).join(', ') + (wrong.length > 5 ? `, and ${wrong.length - 5} more` : ''),
    advice,
  );
}
