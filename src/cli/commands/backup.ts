import { resolve } from 'node:path';
import type { AddGroup } from '../../terminal/command-group.ts';

const add: AddGroup = (group, { run }) => {
  group
    .argument('<file>', 'the new file; with --url a path on that machine')
    .addHelpText(
      'after',
      '\nQueues, database, blobs and configuration go into one tar file, of one moment, while everything runs.\n\n' +
        'Example:\n  $ pismak backup /var/backups/pismak-$(date +%F).tar',
    )
    .action(
      run(async ({ client, out, remote }, file = '') => {
        const path = remote ? file : resolve(file);
        await (await client()).call('backup.create', { file: path });
        out.say(`everything is in ${path}`);
      }),
    );
};
export default add;
