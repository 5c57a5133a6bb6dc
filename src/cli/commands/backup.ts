import { resolve } from 'node:path';
import { backupCreate } from '../../engine/operation/operations/backup.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';

const add: AddGroup = (group, shell) => {
  group.addHelpText(
    'after',
    '\nWrites a consistent snapshot of queues, database, blobs and configuration to one tar file, while everything runs.',
  );
  operationCommands(group, shell)(backupCreate, {
    usage: '<file>',
    examples: ['backup pismak-$(date +%F).tar'],
    fields: { file: { about: 'the new file; with --url, a path on that machine', read: (text) => text } },
    complete: async ({ remote }, { file }) => (remote ? {} : { file: resolve(file) }),
    say: ({ file }) => `everything is in ${file}`,
  });
};
export default add;
