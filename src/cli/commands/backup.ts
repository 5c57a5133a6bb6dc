import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { backupName } from '../../engine/backup/backup-directory.ts';
import { isSystemError, reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { backupCreate, backupList } from '../../engine/operation/operations/backup.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatBytes, formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  group.addHelpText(
    'after',
    '\nWrites a consistent snapshot of queues, database, blobs and configuration to one tar file, while everything runs.\n' +
      'A plain name puts the file into the backup directory (setting backup.directory). A path works on this machine only:\n' +
      'the command moves the finished file there.',
  );
  /** Where this command moves the file that the server has written. */
  let target: string | undefined;
  const placed = <Answer extends { file: string }>(answer: Answer): Answer => {
    if (target === undefined) return answer;
    move(answer.file, target);
    return { ...answer, file: target };
  };
  const command = operationCommands(group, shell);
  command(backupList, {
    usage: 'ls',
    columns: [
      { title: 'backup', of: (row) => row.name },
      { title: 'of', of: (row) => formatTime(row.contents?.createdAt ?? row.writtenAt) },
      { title: 'size', of: (row) => formatBytes(row.size), align: 'right' },
      { title: 'blobs', of: (row) => row.contents?.blobs.count },
      { title: 'users', of: (row) => row.contents?.users },
      { title: 'version', of: (row) => row.contents?.version },
      { title: '', of: (row) => (row.contents === null ? 'NOT A WHOLE BACKUP' : ' ') },
    ],
    empty: 'there are no backups',
    follow: async ({ restore }, { out, stderr }) => {
      if (!out.json) stderr.write(`${restore.message}\n`);
    },
  });
  command(backupCreate, {
    usage: '<name>',
    examples: ['backup pismak-$(date +%F).tar', 'backup /mnt/usb/pismak.tar'],
    fields: { name: { about: 'name of the new file, or a path', read: (text) => text } },
    async complete({ remote, clock }, { name }) {
      if (!name.includes('/')) return {};
      if (remote)
        throw new PismakError(
          'invalid-input',
          'with --url give a plain name: the server writes into its own backup directory',
        );
      target = resolve(name);
      if (existsSync(target))
        throw new PismakError('already-exists', `${target} already exists; choose another name`);
      if (!existsSync(dirname(target)))
        throw new PismakError('not-found', `there is no directory ${dirname(target)}`);
      const plain = basename(target);
      return { name: backupName.safeParse(plain).success ? plain : `backup-${clock.now()}.tar` };
    },
    data: placed,
    say: (answer) => `backup written to ${placed(answer).file}`,
  });
};
export default add;

function move(from: string, to: string): void {
  try {
    renameOrCopy(from, to);
  } catch (cause) {
    const message = `the backup can't be moved to ${to}: ${reasonOf(cause)}; it is in ${from}`;
    throw new PismakError('unavailable', message, { cause });
  }
}

function renameOrCopy(from: string, to: string): void {
  try {
    renameSync(from, to);
    return;
  } catch (error) {
    if (!isSystemError(error, 'EXDEV')) throw error;
  }
  // The target is on another disk. An incomplete copy must not look like a complete backup.
  const partial = `${to}.partial`;
  try {
    copyFileSync(from, partial);
    renameSync(partial, to);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  rmSync(from);
}
