import type { Command } from 'commander';
import { collect } from '../../terminal/command-group.ts';
import { commaList } from '../../terminal/options/option-values.ts';
import type { Session } from '../../terminal/session.ts';
import { formatDay, parseDay } from '../calendar/days.ts';
import { zoneDays } from '../calendar/zone-days.ts';
import { statisticsSchema } from '../operations/upkeep.ts';
import { type Filter, parseFilter } from '../query/filter.ts';
import { oneOf } from './one-of.ts';

/** What `series`, `table` and `explain` take. */
export interface QuestionOptions {
  user: string;
  from?: string;
  to?: string;
  filter?: string[];
  over: 'interval' | 'all';
  split?: string;
  dimensions?: string;
  groupBy?: string;
}

export function addQuestionOptions(command: Command): Command {
  return command
    .requiredOption('--user <user>', 'user whose statistics to show')
    .option('--from <date>', 'first day (default: 29 days before the last)')
    .option('--to <date>', 'last day, included (default: today)')
    .option(
      '--filter <condition>',
      'cost<5000, clicks between 5 and 10, status in active,paused, name contains shoes; may be repeated',
      collect,
    )
    .option(
      '--over <what>',
      'whether filters look at sums over the `interval` or over `all` time',
      oneOf(['interval', 'all']),
      'interval',
    )
    .option('--split <value>', 'only this value of the split')
    .option('--dimensions <names>', 'only these dimensions: clicks,cost')
    .option('--group-by <kind>', 'group by parents of this kind');
}

export async function readQuestion(
  kind: string,
  options: QuestionOptions,
  session: Pick<Session, 'client' | 'clock'>,
) {
  const filters: Filter[] = (options.filter ?? []).map(parseFilter);
  const to = options.to ?? (await today(session));
  const from = options.from ?? formatDay((parseDay(to) ?? 0) - 29);
  return {
    kind,
    user: options.user,
    from,
    to,
    filters,
    over: options.over,
    ...(options.split !== undefined && { split: options.split }),
    ...(options.dimensions !== undefined && { dimensions: commaList(options.dimensions) }),
    ...(options.groupBy !== undefined && { groupBy: options.groupBy }),
  };
}

/** Today's date in the time zone of the statistics, which may differ from the local date. */
async function today({ client, clock }: Pick<Session, 'client' | 'clock'>): Promise<string> {
  const { timezone } = await (await client()).call(statisticsSchema, { limit: 1 });
  return formatDay(zoneDays(timezone).dayAt(clock.now()));
}
