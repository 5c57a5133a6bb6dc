import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from './temporary-directory.ts';

const everywhere = ['cat', 'env', 'id', 'ln', 'mkdir', 'sed', 'sh', 'true'];
const utilLinux = ['mount', 'pivot_root', 'prlimit', 'setpriv', 'umount', 'unshare'];

/** How to start a program on a machine without bubblewrap. */
export async function withoutBubblewrap(test: TestContext): Promise<string[]> {
  const folder = await temporaryDirectory(test);
  // Programs of other users start there too.
  await chmod(folder, 0o755);
  const directory = join(folder, 'bin');
  await mkdir(directory);
  for (const name of [...everywhere, ...utilLinux]) {
    const path = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    await symlink(path, join(directory, name));
  }
  return ['env', `PATH=${directory}`];
}

/** Only root of the machine can map many users, from outside and once the namespace is there. */
const mapUsers = `
d=$(mktemp -d)
mkfifo $d/go
unshare --user --mount --keep-caps sh -c '
  read -r go <"$0"
  echo 0 >/proc/sys/user/max_user_namespaces
  exec setpriv --ambient-caps=-all --inh-caps=-all --bounding-set=-sys_admin "$@"
' $d/go "$@" &
pid=$!
until echo '0 0 65536' >/proc/$pid/uid_map; do sleep 0.01; done 2>/dev/null
echo '0 0 65536' >/proc/$pid/gid_map
echo >$d/go
rm -r $d
wait $pid`;

/**
 * How to start a program as in a container, where bubblewrap and util-linux are installed, but neither new namespaces nor mounts are
 * allowed: as root with 65,536 users, or as one user only.
 */
export const inContainer = {
  root: ['sh', '-c', mapUsers, 'sh'],
  user: [
    'unshare',
    '--map-root-user',
    'sh',
    '-c',
    'echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all "$@"',
    'sh',
  ],
};
