import { type Entry, largestEmpty, type View } from './view.ts';

/**
 * Starts a program in the view, with bubblewrap. Where parts of /proc are hidden, as by systemd, a new one can't be mounted. The
 * old one shows that other processes exist, but the kernel lets nobody in a user namespace look into them.
 */
export function bubblewrap({ entries, network, nests }: View, proc: 'new' | 'shared'): string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    'bwrap',
    '--die-with-parent',
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    // The sockets of the machine's services have names in the network, too.
    ...(network ? [] : ['--unshare-net']),
    // A capability would let it remove the mounts that hide the data. This one only lets root's programs be confined again.
    '--cap-drop',
    'ALL',
    ...(isRoot && nests ? ['--cap-add', 'CAP_SETFCAP'] : []),
    '--dev',
    '/dev',
    ...(proc === 'new' ? ['--proc', '/proc'] : ['--ro-bind', '/proc', '/proc']),
    ...entries.flatMap(parameters),
    '--remount-ro',
    '/',
    '--',
  ];
}

function parameters(entry: Entry): string[] {
  if ('read' in entry) return ['--ro-bind', entry.read, entry.read];
  if ('write' in entry) return ['--bind', entry.write, entry.at];
  if ('link' in entry) return ['--symlink', entry.to, entry.link];
  if ('empty' in entry) return ['--size', String(largestEmpty), '--tmpfs', entry.empty];
  if ('device' in entry) return ['--dev-bind', entry.device, entry.device];
  return ['--ro-bind', '/dev/null', entry.blank];
}
