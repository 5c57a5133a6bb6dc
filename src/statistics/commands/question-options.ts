import type { Command } from 'commander';
import { collect } from '../../terminal/command-group.ts';
import { formatDay, parseDay } from '../calendar/days.ts';
import { type Filter, parseFilter } from '../query/filter.ts';

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
    .requiredOption('--user <user>', 'user whose statistics they are')
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
      'interval',
    )
    .option('--split <value>', 'only this value of the split')
    .option('--dimensions <names>', 'only these: clicks,cost')
    .option('--group-by <kind>', 'add up by this kind of parents');
}

export function readQuestion(kind: string, options: QuestionOptions, now: number) {
  // The last day is the machine's date: good enough for a default.
  const to = options.to ?? new Date(now).toISOString().slice(0, 10);
  const from = options.from ?? formatDay((parseDay(to) ?? 0) - 29);
  const filters: Filter[] = (options.filter ?? []).map(parseFilter);
  return {
    ...{ kind, user: options.user, from, to, filters, over: options.over },
    ...(options.split !== undefined && { split: options.split }),
    ...(options.dimensions !== undefined && { dimensions: options.dimensions.split(',') }),
    ...(options.groupBy !== undefined && { groupBy: options.groupBy }),
  };
}
