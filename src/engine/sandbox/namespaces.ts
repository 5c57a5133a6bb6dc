import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Entry, largestEmpty, type View } from './view.ts';

/**
 * Starts a program in the view without bubblewrap, with the programs that each Linux has (util-linux): `unshare` makes the
 * namespaces, and a script mounts the view and then moves into it. Its first process stays, to reap what others leave behind.
 */
export function namespaces(view: View, user: 'new user' | 'root', proc: 'new' | 'shared'): string[] {
  return [
    'unshare',
    ...(user === 'new user' ? ['--user', '--map-root-user'] : []),
    '--mount',
    '--ipc',
    '--pid',
    '--fork',
    '--kill-child=SIGKILL',
    ...(view.network ? [] : ['--net']),
    '--',
    'sh',
    '-c',
    script(view, proc),
    'sh',
  ];
}

const devices = ['null', 'zero', 'full', 'random', 'urandom'];

/** A bind mount of a tree is as writable as the tree, so each mount in it is made read-only. */
const lock = String.raw`lock() {
  cat /proc/self/mountinfo | while read -r _ _ _ _ point _; do
    case $point in *\\*) point=$(printf '%b' "$(printf '%s' "$point" | sed 's/\\/\\0/g')") ;; esac
    case $point in "$1" | "$1"/*) mount -o remount,bind,ro "$point" ;; esac
  done
}`;

function script({ entries, nests }: View, proc: 'new' | 'shared'): string {
  const root = placeFor(entries);
  const keep = nests ? ',+setfcap' : '';
  return [
    'set -eu',
    'umask 022',
    'here=$PWD',
    lock,
    `mount -t tmpfs -o mode=755,size=4m tmpfs ${root}`,
    `mkdir -p ${root}/dev ${root}/proc`,
    `mount -t tmpfs -o mode=755,size=64m tmpfs ${root}/dev`,
    ...devices.map((name) => bind(`/dev/${name}`, `${root}/dev/${name}`)),
    `mkdir -m 1777 ${root}/dev/shm`,
    `ln -s /proc/self/fd ${root}/dev/fd`,
    proc === 'new' ? `mount -t proc proc ${root}/proc` : `mount --rbind /proc ${root}/proc`,
    ...entries.map((entry) => mount(entry, root)),
    `cd ${root}`,
    'mkdir .old',
    'pivot_root . .old',
    'cd "$here" 2>/dev/null || cd /',
    // A directory of PATH may be outside the view.
    'PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin',
    'umount -l /.old',
    'mount -o remount,bind,ro /',
    // Not `exec`: the first process of a namespace ignores its own signals, and has to reap orphans.
    'code=0',
    `setpriv --no-new-privs --ambient-caps=-all --inh-caps=-all --bounding-set=-all${keep} "$@" || code=$?`,
    'exit $code',
  ].join('\n');
}

/** A directory that holds nothing of the view. */
function placeFor(entries: readonly Entry[]): string {
  const used = (place: string) =>
    entries.some((entry) => Object.values(entry).some((path) => path.startsWith(`${place}/`)));
  const place = ['/mnt', '/media', '/srv', '/boot', '/sys'].find((path) => existsSync(path) && !used(path));
  return place ?? '/sys';
}

function mount(entry: Entry, root: string): string {
  if ('read' in entry) return `${bind(entry.read, root + entry.read)}; lock ${quoted(root + entry.read)}`;
  if ('write' in entry) return bind(entry.write, root + entry.at);
  if ('device' in entry) return bind(entry.device, root + entry.device);
  if ('blank' in entry) return bind('/dev/null', root + entry.blank);
  if ('link' in entry) return `ln -s ${quoted(entry.to)} ${quoted(root + entry.link)}`;
  const place = quoted(root + entry.empty);
  return `mkdir -p ${place}; mount -t tmpfs -o mode=700,size=${largestEmpty} tmpfs ${place}`;
}

function bind(from: string, to: string): string {
  const [source, place] = [quoted(from), quoted(to)];
  const file = `[ -e ${place} ] || { mkdir -p ${quoted(dirname(to))}; : >${place}; }`;
  return `if [ -d ${source} ]; then mkdir -p ${place}; else ${file}; fi; mount --rbind ${source} ${place}`;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
