import type { Command } from 'commander';
import type { z } from 'zod';
import { chunks } from '../../engine/ground/chunks.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Client } from '../../terminal/client/client.ts';
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
interface Line {
  /** For messages. */
  place: string;
  entity: z.output<typeof line>;
}

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
          for (const list of Map.groupBy(lines, ({ entity }) => `${entity.kind}\0${entity.user}`).values())
            for (const some of chunks(list, perCall)) {
              const answer = await send(connected, some);
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

/** Entities of one kind and user. A refusal names the line of the first one. */
async function send(client: Client, lines: readonly Line[]): Promise<{ created: number; updated: number }> {
  const [first, ...others] = lines;
  if (!first) return { created: 0, updated: 0 };
  const more = others.map(({ entity: { kind: _, user: __, ...rest } }) => rest);
  try {
    return await client.call(statisticsEntityCreate, { ...first.entity, more });
  } catch (error) {
    if (!(error instanceof PismakError)) throw error;
    throw new PismakError(error.code, `${first.place}: ${error.message}`, { cause: error });
  }
}

function readLines(text: string, before: number): Line[] {
  return text.split('\n').flatMap((whole, index) => {
    const json = before + index === 0 ? whole.replace(/^\ufeff/, '') : whole;
    if (json.trim() === '') return [];
    const place = `line ${before + index + 1}`;
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (cause) {
      throw new PismakError('invalid-input', `${place}: not JSON`, { cause });
    }
    const read = line.safeParse(value);
    if (read.success) return [{ place, entity: read.data }];
    throw new PismakError('invalid-input', `${place}: ${wrongField(read.error)}`);
  });
}
