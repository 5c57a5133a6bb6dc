import type { Command } from 'commander';
import { openOutputDirectory } from '../../terminal/files/output-directory.ts';
import { formatBytes, formatCount } from '../../terminal/output/format.ts';
import type { Shell } from '../../terminal/shell.ts';
import { robotStatus } from '../operations/crawls.ts';
import { robotDisallowed } from '../operations/reading.ts';
import { CrawlExport } from './crawl-export.ts';

/** `pismak robot export`: the corpus of a crawl as files, from anywhere. */
export function addExport(group: Command, shell: Shell): void {
  shell
    .command(
      group,
      'export <crawl>',
      'Write the corpus of a crawl into a directory; later runs add only what is new',
      'robot export Czech -o corpus/',
      'robot export Czech --disallowed',
    )
    .option('-o, --output <directory>', 'where the corpus goes', 'corpus')
    .option('--release', 'then delete what was written from the crawl; this directory becomes the only copy')
    .option('--disallowed', 'instead, print the addresses that robots.txt forbade')
    .action(
      shell.run<{ output: string; disallowed?: boolean; release?: boolean }, [string]>(
        async (session, named) => {
          const client = await session.client();
          const { out, options, signal } = session;
          if (options.disallowed) {
            for (let after: string | undefined; ; ) {
              const { urls } = await client.call(robotDisallowed, {
                crawl: named,
                limit: 1000,
                ...(after !== undefined && { after }),
              });
              if (urls.length === 0) return;
              out.text(urls.join('\n'));
              after = urls.at(-1);
            }
          }
          const { id, state } = await client.call(robotStatus, { crawl: named });
          await openOutputDirectory(options.output);
          const output = await CrawlExport.open(client, { crawl: id, directory: options.output });
          try {
            await output.run(signal);
            signal.throwIfAborted();
            await output.finish({ hasEnded: state !== 'running' });
            out.say(`${formatCount(output.pages, 'page')} written to ${options.output}`);
            if (!options.release) return;
            const { segments, bytes } = await output.release();
            out.say(`${formatCount(segments, 'segment')} deleted from the crawl, ${formatBytes(bytes)}`);
          } finally {
            output.close();
          }
        },
      ),
    );
}
