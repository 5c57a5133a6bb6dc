import type { AddGroup } from '../../terminal/command-group.ts';
import { wholeNumber } from '../../terminal/options/option-values.ts';
import { formatBytes, formatTime } from '../../terminal/output/format.ts';

interface Upload {
  upload: string;
  state: string;
  offset: number;
  createdAt: number;
}

const add: AddGroup = (group, { command, run }) => {
  command(
    group,
    'ls',
    'List your uploads in parts that no document has yet, the newest first',
    'upload ls',
    'upload ls --json',
  )
    .option('--limit <number>', 'how many at most', wholeNumber, 100)
    .action(
      run<{ limit: number }>(async ({ client, out, options: { limit } }) => {
        const { uploads } = await (await client()).call<{ uploads: Upload[] }>('upload.ls', { limit });
        out.list(uploads, [
          { title: 'id', of: (row) => row.upload },
          { title: 'state', of: (row) => row.state },
          { title: 'arrived', of: (row) => formatBytes(row.offset) },
          { title: 'since', of: (row) => formatTime(row.createdAt) },
        ]);
      }),
    );

  command(
    group,
    'delete <upload>',
    'Give up an upload and what has arrived of it',
    'upload delete ID',
  ).action(
    run(async ({ client, out }, upload) => {
      await (await client()).call('upload.delete', { upload });
      out.say(`upload ${upload} is deleted`);
    }),
  );
};
export default add;
