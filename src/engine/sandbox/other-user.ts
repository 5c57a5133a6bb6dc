import { programFiles } from './view.ts';

/** Ids that systemd gives to passing users (DynamicUser); no person or service of a machine has them for long. */
const firstId = 61_184;
const ids = 4_336;
let next = process.pid;

/** A user of its own for each process: processes of one user may look into each other. */
export function otherUser(): { uid: number; gid: number } {
  next++;
  const id = firstId + (next % ids);
  return { uid: id, gid: id };
}

/**
 * Node's permission model: JavaScript reads only this program and writes nothing. It doesn't hold machine code of a native library that
 * has been taken over, and leaves the network open.
 */
export function permissions(): string[] {
  return [
    '--permission',
    '--allow-addons',
    '--allow-worker',
    ...programFiles().map((path) => `--allow-fs-read=${path}`),
  ];
}
