import type { Command } from 'commander';
import type { z } from 'zod';
import { PismakError } from '../../engine/errors.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatCount, formatTime } from '../../terminal/output/format.ts';
import type { Shell } from '../../terminal/shell.ts';
import {
  statisticsEntityCreate,
  statisticsEntityLs,
  statisticsEntityRemove,
  statisticsEntityUpdate,
} from '../operations/entity.ts';
import { wrongField } from '../schema/wrong-field.ts';
import { beginningClient } from './begin-data.ts';
import { lineChunks } from './line-chunks.ts';

const perCall = 1000;

/** A line of a file to import: what `entity create` takes. */
const line = statisticsEntityCreate.input.omit({ more: true });
type Line = z.output<typeof line>;

/** `statistics entity ...`. */
export function addEntity(group: Command, shell: Shell): void {
  const entity = group.command('entity').description('Names, states, parents and budgets of entities');
  const command = operationCommands(entity, shell);
  command(statisticsEntityCreate, {
    usage: 'create <kind> <user> <entity>',
    fields: { more: false },
    say: ({ created }, input) => `${input.kind} ${input.entity} is ${created > 0 ? 'created' : 'updated'}`,
  });
  command(statisticsEntityUpdate, {
    usage: 'update <kind> <user> <entity>',
    say: (_, input) => `${input.kind} ${input.entity} is updated`,
  });
  command(statisticsEntityRemove, {
    usage: 'remove <kind> <user> <entity>',
    say: (_, input) => `${input.kind} ${input.entity} is marked as removed`,
  });
  command(statisticsEntityLs, {
    usage: 'ls <kind> <user>',
    columns: [
      { title: 'entity', of: (row) => row.entity },
      { title: 'name', of: (row) => row.name },
      { title: 'status', of: (row) => row.status },
      { title: 'parent', of: (row) => row.parent },
      { title: 'budget', of: (row) => row.budget },
      { title: 'created', of: (row) => formatTime(row.created) },
    ],
  });
  shell
    .command(
      entity,
      'import <file>',
      'Create or update entities from NDJSON lines: {kind, user, entity, name, status, parent, budget, created}',
      'statistics entity import keywords.ndjson',
    )
    .action(
      shell.run(async (session, file = '') => {
        const { out, progress } = session;
        const connected = await beginningClient(session);
        const bar = progress('entities');
        const sum = { created: 0, updated: 0 };
        for await (const chunk of lineChunks(file, false)) {
          const lines = readLines(chunk.text, chunk.before);
          for (const list of Map.groupBy(lines, ({ kind, user }) => `${kind}\0${user}`).values())
            for (let at = 0; at < list.length; at += perCall) {
              const [first, ...others] = list.slice(at, at + perCall);
              if (!first) continue;
              const more = others.map(({ kind: _, user: __, ...rest }) => rest);
              const answer = await connected.call(statisticsEntityCreate, { ...first, more });
              sum.created += answer.created;
              sum.updated += answer.updated;
              bar.set(sum.created + sum.updated);
            }
        }
        bar.close();
        if (out.json) out.object(sum);
        else out.say(`${formatCount(sum.created, 'entity', 'entities')} created, ${sum.updated} updated`);
      }),
    );
}

function readLines(text: string, before: number): Line[] {
  return text.split('\n').flatMap((json, index) => {
    if (json.trim() === '') return [];
    const place = `line ${before + index + 1}`;
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (cause) {
      throw new PismakError('invalid-input', `${place}: not JSON`, { cause });
    }
    const read = line.safeParse(value);
    if (read.success) return [read.data];
    throw new PismakError('invalid-input', `${place}: ${wrongField(read.error)}`);
  });
}
