import { PismakError } from '../../engine/ground/errors.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatCount, formatTime } from '../../terminal/output/format.ts';
import { statisticsAccess, statisticsAllow } from '../operations/access.ts';
import {
  statisticsClose,
  statisticsCorrections,
  statisticsErase,
  statisticsReconcile,
  statisticsRollup,
  statisticsSchema,
} from '../operations/upkeep.ts';
import { leftOut } from '../rollup/skip-too-large.ts';
import { addDemo } from './demo.ts';
import { addEntity } from './entity.ts';
import { addIngest } from './ingest.ts';
import { addRpctest } from './rpctest.ts';
import { addSeries } from './series.ts';
import { addTable } from './table.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);
  addDemo(group, shell);
  addIngest(group, shell);
  command(statisticsRollup, {
    usage: 'rollup',
    examples: ['statistics rollup'],
    say: ({ units, rows, tooLarge }) =>
      `${formatCount(units, 'unit')} with ${formatCount(rows, 'row')} built${leftOut(tooLarge)}`,
  });
  addSeries(group, shell);
  addTable(group, shell);
  addEntity(group, shell);
  command(statisticsReconcile, {
    usage: 'reconcile',
    show({ units, difference, tooLarge }, { out }) {
      if (!difference)
        return out.say(`all levels agree: ${formatCount(units, 'unit')} checked${leftOut(tooLarge)}`);
      const { kind, user, level, unit, entity, split, dimension, expected, got } = difference;
      throw new PismakError(
        'conflict',
        `${level} ${unit} of ${kind} ${entity} (${split}) of user ${user} has ${got} ${dimension}, but the finer level has ${expected}`,
      );
    },
  });
  command(statisticsClose, {
    usage: 'close <month>',
    say: ({ closed }, { month }) => `${month} is ${closed ? 'closed' : 'open again'}`,
  });
  command(statisticsCorrections, {
    usage: 'corrections <user>',
    columns: [
      { title: 'event', of: (row) => row.event },
      { title: 'kind', of: (row) => row.kind },
      { title: 'entity', of: (row) => row.entity },
      { title: 'split', of: (row) => row.split },
      { title: 'at', of: (row) => formatTime(row.at) },
      { title: 'received', of: (row) => formatTime(row.receivedAt) },
      {
        title: 'sums',
        of: (row) =>
          Object.entries(row.sums)
            .map(([name, sum]) => `${name} ${sum}`)
            .join(', '),
      },
    ],
    empty: 'no corrections',
  });
  command(statisticsSchema, {
    usage: 'schema [schema]',
    columns: [
      { title: 'kind', of: (row) => row.kind },
      { title: 'schema', of: (row) => row.schema },
      { title: 'parent', of: (row) => row.parent },
      { title: 'dimensions', of: (row) => row.dimensions.join(', ') },
      { title: 'splits', of: (row) => row.splits.join(', ') },
      { title: 'derived', of: (row) => row.derived.join(', ') },
    ],
  });
  command(statisticsAllow, {
    usage: 'allow <reader> <user>',
    say: (_, { reader, user, access = 'read' }) =>
      `${reader} may ${access === 'none' ? 'no longer read' : access} the statistics of ${user}`,
  });
  command(statisticsAccess, {
    usage: 'access [reader]',
    columns: [
      { title: 'reader', of: (row) => row.reader },
      { title: 'user', of: (row) => row.user },
      { title: 'access', of: (row) => row.access },
    ],
    empty: 'nobody but administrators and users themselves',
  });
  command(statisticsErase, {
    usage: 'erase <user>',
    confirm: 'the statistics of this user are deleted for good',
    say({ kinds, entities, corrections }, { user }) {
      if (kinds + corrections === 0) return `nothing is counted about user ${user}`;
      return `deleted of user ${user}: ${formatCount(kinds, 'kind')} with ${formatCount(entities, 'entity', 'entities')}, all their sums and corrections`;
    },
  });
  addRpctest(group, shell);
};
export default add;
