import { PismakError } from '../../engine/ground/errors.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatBytes, formatCount, formatTime } from '../../terminal/output/format.ts';
import type { Session } from '../../terminal/session.ts';
import {
  robotDelete,
  robotList,
  robotNew,
  robotPause,
  robotResume,
  robotRevisit,
  robotStart,
  robotStatus,
  robotStop,
} from '../operations/crawls.ts';
import { robotHarvesters, robotSetHarvesters } from '../operations/harvesters.ts';
import {
  robotDisallowed,
  robotExplain,
  robotHosts,
  robotOptions,
  robotRelease,
  robotSegments,
} from '../operations/reading.ts';
import { addAudit } from './audit.ts';
import { addCrawl } from './crawl.ts';
import {
  crawlFields,
  optionsInSettings,
  readHarvesters,
  readResolve,
  readSeeds,
  resolveHelp,
} from './crawl-options.ts';
import { addDemo } from './demo.ts';
import { addExport } from './export.ts';
import { statisticsFields } from './show-crawl.ts';
import { addTextCommands } from './text-commands.ts';

/** Defaults to the newest crawl. */
async function orNewest(session: Session<object>, { crawl }: { crawl?: string }): Promise<{ crawl: string }> {
  if (crawl !== undefined) return { crawl };
  const { crawls } = await (await session.client()).call(robotList, { limit: 1 });
  if (!crawls[0]) throw new PismakError('not-found', 'there is no crawl; `pismak robot new` defines one');
  return { crawl: crawls[0].id };
}

const newestField = { crawl: { about: 'ID of a crawl, or the name of one of yours; default: the newest' } };

/** Shows the defaults, which the operation itself does not have. */
const helpWithDefaults = Object.fromEntries(crawlFields.map(({ name, about }) => [name, { about }]));

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);
  addCrawl(group, shell);
  addDemo(group, shell);
  command(robotNew, {
    usage: 'new <name>',
    fields: {
      ...helpWithDefaults,
      seeds: {
        flags: '--seeds <list>',
        about: 'addresses, or files with one address per line; separated by commas',
      },
      resolve: false,
    },
    async complete(session, { seeds, ...said }) {
      const { resolve } = session.options as { resolve?: string };
      const hosts = resolve === undefined ? {} : { resolve: await readResolve(resolve) };
      // The process that does the work may have been started with other settings.
      const configured = session.remote ? {} : optionsInSettings(await session.settings());
      return { ...configured, ...said, seeds: await readSeeds(seeds), ...hosts };
    },
    say: (_, { name }) => `crawl ${name} is defined; start it with \`pismak robot start "${name}"\``,
  }).option('--resolve <file>', resolveHelp);
  command(robotList, {
    usage: 'ls',
    columns: [
      { title: 'crawl', of: (row) => row.name },
      { title: 'state', of: (row) => row.state },
      { title: 'pages', of: (row) => row.statistics.documents },
      { title: 'words', of: (row) => row.statistics.words },
      { title: 'queued', of: (row) => row.statistics.queued },
      { title: 'started', of: (row) => formatTime(row.startedAt) },
      { title: 'id', of: (row) => row.id },
    ],
    empty: 'no crawls',
  });
  command(robotStart, { usage: 'start <crawl>', say: (_, { crawl }) => `crawl ${crawl} is running` });
  command(robotPause, { usage: 'pause <crawl>', say: (_, { crawl }) => `crawl ${crawl} is paused` });
  command(robotResume, { usage: 'resume <crawl>', say: (_, { crawl }) => `crawl ${crawl} is running` });
  command(robotStop, { usage: 'stop <crawl>', say: (_, { crawl }) => `crawl ${crawl} is stopped` });
  command(robotRevisit, {
    usage: 'revisit <crawl>',
    say: ({ pages }, { crawl }) => `crawl ${crawl} visits ${formatCount(pages, 'page')} again`,
  });
  command(robotStatus, {
    usage: 'status [crawl]',
    fields: newestField,
    complete: orNewest,
    show: (crawl, { out }) => out.object(crawl, statisticsFields(crawl)),
  });
  command(robotOptions, { usage: 'options <crawl>' });
  command(robotHosts, {
    usage: 'hosts [crawl]',
    fields: newestField,
    complete: orNewest,
    columns: [
      { title: 'host', of: (row) => row.origin },
      { title: 'address', of: (row) => row.addresses.join(', ') },
      { title: 'state', of: (row) => row.problem ?? row.state },
      { title: 'fetched', of: (row) => row.fetched },
      { title: 'queued', of: (row) => row.queued },
      { title: 'useful words', of: (row) => row.words },
      { title: 'bytes', of: (row) => formatBytes(row.bytes) },
      { title: 'ms', of: (row) => Math.round(row.meanMs) },
    ],
    empty: 'no hosts',
  });
  command(robotExplain, {
    usage: 'explain <url> [crawl]',
    fields: newestField,
    complete: orNewest,
    show: ({ lines }, { out }) => out.text(lines.join('\n')),
  });
  command(robotDisallowed, {
    usage: 'disallowed <crawl>',
    show: ({ urls }, { out }) => out.text(urls.join('\n')),
  });
  command(robotSegments, {
    usage: 'segments <crawl>',
    columns: [
      { title: 'segment', of: (row) => row.id },
      { title: 'pages', of: (row) => row.pages },
      { title: 'bytes', of: (row) => formatBytes(row.size) },
      { title: 'stored', of: (row) => formatTime(row.createdAt) },
    ],
    empty: 'nothing stored',
  });
  addExport(group, shell);
  command(robotRelease, {
    usage: 'release <crawl> <through>',
    confirm: 'what was not exported is lost',
    say: ({ segments, bytes }) => `${formatCount(segments, 'segment')} deleted, ${formatBytes(bytes)}`,
  });
  command(robotHarvesters, {
    usage: 'harvesters',
    columns: [
      { title: 'process', of: (row) => row.process },
      { title: 'host', of: (row) => row.host },
      { title: 'threads', of: (row) => row.threads },
      { title: 'wanted', of: (row) => (row.wanted === 0 ? 'auto' : (row.wanted ?? 'settings')) },
      { title: 'busy', of: (row) => `${Math.round(100 * row.busy)} %` },
      { title: 'batches', of: (row) => row.batches },
      { title: 'requests', of: (row) => row.inFlight },
    ],
    empty: 'no process harvests',
  });
  command(robotSetHarvesters, {
    usage: 'set-harvesters <count>',
    fields: { count: { about: 'threads of each process, or auto', read: readHarvesters } },
    say: ({ processes }, { count }) =>
      `${count === 0 ? 'as many threads as there is work for' : formatCount(count, 'thread')} in ${formatCount(processes, 'process', 'processes')}`,
  });
  command(robotDelete, {
    usage: 'delete <crawl>',
    confirm: 'the pages of the crawl are deleted too',
    say: (_, { crawl }) => `crawl ${crawl} is deleted`,
  });
  addAudit(group, shell);
  addTextCommands(group, shell);
};
export default add;
