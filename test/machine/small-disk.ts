import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';

/** A real file system of a few megabytes, mounted until the test ends. Mounting needs root. */
export async function mountSmallDisk(
  test: { after(work: () => Promise<void>): void },
  megabytes: number,
): Promise<string> {
  assert.equal(process.getuid?.(), 0, 'this test mounts a small file system, which needs root');
  const directory = await temporaryDirectory(test);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', directory]);
  test.after(async () => void execFileSync('umount', ['--lazy', directory]));
  return directory;
}

export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** Fills the disk until `leave` bytes are free; 0 = to the last byte. Returns how to undo it. */
export function fillDisk(directory: string, leave: number): () => void {
  const file = join(directory, 'ballast');
  const descriptor = openSync(file, 'a');
  try {
    for (let size = 2 ** 20; size >= 1; ) {
      if (leave > 0 && freeBytes(directory) - leave < size) {
        size = Math.floor(size / 2);
        continue;
      }
      try {
        writeSync(descriptor, Buffer.alloc(size, 'x'));
      } catch {
        size = Math.floor(size / 2);
      }
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return () => rmSync(file);
}
