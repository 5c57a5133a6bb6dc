import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { withWorkDirectory } from '../../../engine/files/work-directory.ts';

test('the library that runs the network reports nothing to its makers, and leaves no files and no device id behind', async () => {
  await withWorkDirectory(async (directory) => {
    const [cwd, home] = [join(directory, 'cwd'), join(directory, 'home')];
    await mkdir(cwd);
    await mkdir(home);
    const model = new URL('./model.ts', import.meta.url).href;
    const program = `const { openModel } = await import('${model}'); await (await openModel()).close();`;
    // Without CI, where the library reports nothing anyway.
    const env = { PATH: process.env.PATH, HOME: home };
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd, env });
    assert.deepEqual(await readdir(cwd), []);
    assert.deepEqual(await readdir(home), []);
  });
});
