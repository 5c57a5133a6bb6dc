import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { openOutputDirectory } from '../../terminal/files/output-directory.ts';
import { numberBetween } from '../../terminal/options/option-values.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Shell } from '../../terminal/shell.ts';
import { checkUnused } from '../export/export-files.ts';
import { type CrawlCommandOptions, crawlInto } from './crawl.ts';

/** Everything runs in this process, because the web of the demo is on this machine. */
const embedded = { broker: 'sqlite:', coordination: 'embedded:', database: 'sqlite:', blobs: 'directory:' };

const quick = {
  reqDelay: 0.1,
  generalPause: 1,
  maxHosts: 2,
  maxReqs: 20,
  retryDelay: 1,
  blockFor: 1,
  pageLimitMb: 0.3,
};

/** `pismak robot demo`: crawls a web of its own. */
export function addDemo(group: Command, shell: Shell): void {
  shell
    .command(group, 'demo', 'Crawl a built-in web on this machine and show what the robot does', 'robot demo')
    .option('-o, --output <directory>', 'where the corpus goes; a temporary directory by default')
    .option('--hosts <number>', 'how many hosts the web has', numberBetween(1, 2000), 40)
    .action(
      shell.run<Partial<CrawlCommandOptions> & { hosts: number }>(async (session) => {
        const [{ serveWeb }, { seedUrl }, { rulesOf, crawlDefinition }] = await Promise.all([
          import('../web/serve-web.ts'),
          import('../web/web-plan.ts'),
          import('../crawl/options.ts'),
        ]);
        const { out, options } = session;
        const output = options.output ?? (await mkdtemp(join(tmpdir(), 'pismak-robot-')));
        // Each run serves another web, so there is nothing to continue.
        await openOutputDirectory(output);
        await checkUnused(output);
        const { settings } = await session.settings();
        const client = await session.openWork({
          settings: {
            ...settings,
            ...embedded,
            data: join(output, '.pismak'),
            robot: undefined,
          } as typeof settings,
          purpose: 'pismak robot demo',
          workers: 0,
        });
        const { hosts } = options;
        const plan = { seed: 1, hosts, addresses: Math.ceil(hosts / 4), pages: 12, faults: true, port: 0 };
        const served = await serveWeb(plan);
        const within = { ...session, options: { ...options, output } };
        out.say(
          `A web of ${formatCount(hosts, 'host')} on ${formatCount(plan.addresses, 'address', 'addresses')}, from ${seedUrl(served.web.plan)}`,
        );
        try {
          const resolve = Object.fromEntries(served.web.hosts.map(({ name, address }) => [name, [address]]));
          const seeds = [seedUrl(served.web.plan)];
          const definition = { seeds, resolve, allowPrivate: true, language: ['cs', 'sk'], ...quick };
          const { stopped } = await crawlInto(within, client, definition);
          if (stopped) return void out.say('stopped');
          const violations = served.violations(rulesOf(crawlDefinition.parse(definition)));
          out.say(
            `The servers saw ${formatCount(served.seen.length, 'request')}, ${formatCount(violations.length, 'broken rule')} and ` +
              `${formatCount(served.complaints.length, 'request')} that robots.txt forbids`,
          );
          out.say(`Check the log yourself: pismak robot audit ${output}`);
        } finally {
          await client.close();
          await served.close();
        }
      }),
    );
}
