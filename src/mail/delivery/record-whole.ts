import { CompiledQuery, sql } from 'kysely';
import { z } from 'zod';
import type { Broker } from '../../engine/broker/broker.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Running } from '../../engine/service/service.ts';
import { deleteErased } from '../database/erased-addresses.ts';
import { insertMany, rowValues } from '../database/many-rows.ts';
import { mailDatabase } from '../database/tables.ts';
import { mailStates } from '../model/mail.ts';
import { suppressRefused } from './record-results.ts';
import { tellEvent } from './tell-result.ts';

/** The queue of results of whole mails. */
export const recordQueue = 'mail.record';

const recorded = z.array(
  z.strictObject({
    id: z.string(),
    owner: z.string(),
    type: z.string(),
    version: z.number(),
    class: z.string(),
    recipient: z.string(),
    fields: z.string(),
    language: z.string(),
    state: z.enum(mailStates),
    attempts: z.number(),
    takes: z.number(),
    unknowns: z.number(),
    createdAt: z.number(),
    notAfter: z.number(),
    changedAt: z.number(),
    sentAt: z.number().nullable(),
    relay: z.string(),
    answer: z.string(),
    suppress: z.string().optional(),
  }),
);
export type Recorded = z.output<typeof recorded>[number];

const columns = [
  ...(['id', 'owner', 'type', 'version', 'class', 'recipient', 'fields', 'language', 'state'] as const),
  ...(['attempts', 'takes', 'unknowns', 'createdAt', 'notAfter'] as const),
  ...(['changedAt', 'sentAt', 'relay', 'answer'] as const),
];

/**
 * Stores the results of whole mails. Idempotent, because messages may be delivered twice. A mail that a killed sender had sent
 * is sent and recorded again; its row shows how often it was taken.
 */
export async function runRecorder(
  engine: Pick<Engine, 'clock' | 'database' | 'events' | 'log' | 'pipelines'> & { broker: Broker },
): Promise<Running> {
  await engine.pipelines.claimOutput(recordQueue);
  const { dialect, query } = mailDatabase(engine);
  // Compiled once: compiling costs as much as sending two mails.
  const { sql: statement } = sql`
    ${insertMany(dialect, columns, [])} ON CONFLICT ("id") DO UPDATE SET "takes" =
      CASE WHEN "excluded"."takes" > "mail_mail"."takes" THEN "excluded"."takes" ELSE "mail_mail"."takes" END
  `.compile(query);
  return engine.broker.consume(recordQueue, { concurrency: 2 }, async (delivery) => {
    const all = recorded.parse(JSON.parse(Buffer.from(delivery.body).toString()));
    // A statement can't update a row twice.
    const rows = [...new Map(all.map((row) => [row.id, row])).values()];
    await query.executeQuery(CompiledQuery.raw(statement, [rowValues(columns, rows)]));
    await suppressRefused(query, rows, engine.clock.now());
    await deleteErased(query, rows);
    for (const row of rows) tellEvent(engine.events, { ...row, campaign: '' }, row.state, row.changedAt);
    await delivery.ack();
  });
}
