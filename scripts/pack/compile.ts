import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Compiles src/ (without tests) into JavaScript and declarations; unchanged files are not compiled again. */
export function compile(root: string, outDir: string): void {
  mkdirSync(outDir, { recursive: true });
  const file = join(outDir, 'tsconfig.json');
  const src = join(root, 'src');
  const project = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      outDir,
      rootDir: src,
      declaration: true,
      noEmitOnError: true,
      allowImportingTsExtensions: false,
      rewriteRelativeImportExtensions: true,
      incremental: true,
      tsBuildInfoFile: join(outDir, '.tsbuildinfo'),
      typeRoots: [join(root, 'node_modules', '@types')],
    },
    include: [src],
    exclude: ['**/*.test.ts', '**/testing/**'].map((pattern) => join(src, pattern)),
  };
  writeFileSync(file, JSON.stringify(project, null, 2));
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = spawnSync(process.execPath, [compiler, '-p', file], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`The sources do not compile:\n${run.stdout}${run.stderr}`);
}
