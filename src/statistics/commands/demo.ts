import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { PismakError } from '../../engine/ground/errors.ts';
import { seededRandom } from '../../engine/simulation/chance.ts';
import type { Client } from '../../terminal/client/client.ts';
import type { Session } from '../../terminal/session.ts';
import type { Shell } from '../../terminal/shell.ts';
import { formatDay } from '../calendar/days.ts';
import { statisticsEntityCreate, statisticsEntityLs } from '../operations/entity.ts';
import { statisticsSeries, statisticsTable } from '../operations/read.ts';
import { statisticsReconcile, statisticsRollup } from '../operations/upkeep.ts';
import { statisticsIngest } from '../operations/write.ts';
import { advertiser, demoDay, demoEntities } from './demo-advertiser.ts';
import { charts } from './series.ts';
import { showTable } from './table.ts';

const days = 730;
const daysPerBatch = 30;
const dayMs = 86_400_000;

/** `statistics demo`. */
export function addDemo(group: Command, shell: Shell): void {
  shell
    .command(
      group,
      'demo',
      'Count two years of events of a small advertiser, then draw a filtered chart and table; needs nothing else',
      'statistics demo',
      'statistics demo --keep /tmp/shop',
    )
    .option('--keep <directory>', 'keep the data in this directory, for further questions with --data')
    .action(
      shell.run<{ keep?: string }>(async (session) => {
        const { keep } = session.options;
        const data = keep ?? (await mkdtemp(join(tmpdir(), 'pismak-statistics-')));
        const { settings } = await session.settings();
        const client = await session.openWork({
          settings: { ...settings, data, ...embedded },
          purpose: 'statistics demo',
          workers: 0,
        });
        try {
          await checkNew(client, data);
          await play(session, client);
        } finally {
          await client.close();
          if (keep === undefined) await rm(data, { recursive: true, force: true });
        }
        if (keep !== undefined)
          session.out.say(
            `Ask more: pismak --data ${keep} statistics table campaign --user ${advertiser.user} --sort cost:desc`,
          );
      }),
    );
}

/** On another day the events have other dates, so they would count again. */
async function checkNew(client: Client, data: string): Promise<void> {
  const { user } = advertiser;
  const { entities } = await client.call(statisticsEntityLs, { kind: 'keyword', user, limit: 1 });
  if (entities.length > 0)
    throw new PismakError(
      'conflict',
      `${data} has keywords of user ${user} already; keep the demonstration in another directory`,
    );
}

const embedded = { broker: 'sqlite:', coordination: 'embedded:', database: 'sqlite:', blobs: 'directory:' };

async function play({ out, clock, progress, stderr, signal }: Session, client: Client): Promise<void> {
  const random = seededRandom(7);
  const today = Math.floor(clock.now() / dayMs);
  const first = today - days;
  for (const list of Map.groupBy(demoEntities(), ({ kind }) => kind).values()) {
    const [one, ...others] = list;
    if (!one) continue;
    const more = others.map(({ kind: _, user: __, ...rest }) => rest);
    await client.call(statisticsEntityCreate, { ...one, more });
  }
  const bar = progress('events');
  let events = 0;
  for (let from = first; from < today; from += daysPerBatch) {
    signal.throwIfAborted();
    const lines: string[] = [];
    for (let day = from; day < Math.min(from + daysPerBatch, today); day++)
      lines.push(...demoDay(day, (day - first) / days, random));
    const token = `demo ${formatDay(from)}`;
    events += (await client.call(statisticsIngest, { token, text: lines.join('\n') })).accepted;
    bar.set(events, Math.round((events * days) / Math.min(days, from + daysPerBatch - first)));
  }
  bar.close();
  const { units } = await client.call(statisticsRollup, {});
  const { units: agreeing } = await client.call(statisticsReconcile, {});
  out.say(
    `${events} events of two years counted; ${units} slots, days, weeks, months and totals built; ${agreeing} of them checked`,
  );

  const question = {
    kind: 'keyword',
    user: advertiser.user,
    from: formatDay(first),
    to: formatDay(today),
    filters: [
      { field: 'clicks', is: '>' as const, value: 5 },
      { field: 'conversions', is: '<' as const, value: 300 },
    ],
  };
  const began = performance.now();
  const series = await client.call(statisticsSeries, { ...question, granularity: 'week' });
  const table = await client.call(statisticsTable, { ...question, sort: 'cost:desc', limit: 10 });
  const ms = Math.round(performance.now() - began);
  out.say('');
  out.say(
    `Keywords of user ${advertiser.user} with more than 5 clicks and fewer than 300 conversions: ${series.entities} of ${demoEntities().filter(({ kind }) => kind === 'keyword').length}`,
  );
  out.text(charts('these keywords by week', series, 'clicks', stderr.columns));
  out.say('');
  showTable(table, out);
  out.say('');
  out.say(`The chart and the table took ${ms} ms together.`);
}
