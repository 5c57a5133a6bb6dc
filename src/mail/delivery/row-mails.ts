import type { Engine } from '../../engine/composition/engine.ts';
import { type MailRow, mailDatabase } from '../database/tables.ts';
import { deletesFiles, type MailFields } from '../model/mail.ts';
import { InBatches } from '../prepare/in-batches.ts';
import type { MailSettings } from '../settings/settings.ts';
import { answerText } from './answer-text.ts';
import { deleteSentFiles } from './delete-sent-files.ts';
import { returned } from './judge.ts';
import { MailLedger } from './mail-ledger.ts';
import type { Ended, MailSource, MailToSend, Settlement, Taken } from './mail-source.ts';
import { tellResult } from './tell-result.ts';

type RowMailsEngine = Pick<Engine, 'alerts' | 'backlog' | 'clock' | 'database' | 'events' | 'log'>;

/** Mails that are rows of the database; messages have their ids. A retry is a new message in the backlog. */
export class RowMails implements MailSource<string> {
  readonly takesAhead = true;
  readonly #engine: RowMailsEngine;
  readonly #settings: MailSettings;
  readonly #ledger: MailLedger;
  readonly #prepared: ReturnType<typeof storePrepared>;
  readonly #inHand = new Set<string>();

  constructor(engine: RowMailsEngine, settings: MailSettings) {
    this.#engine = engine;
    this.#settings = settings;
    this.#ledger = new MailLedger(engine);
    this.#prepared = storePrepared(engine);
  }

  async take(ids: readonly string[]): Promise<Taken<string>[]> {
    const taken = await Promise.all(ids.map((id) => this.#takeOne(id)));
    return taken.filter((one) => one !== undefined);
  }

  async #takeOne(id: string): Promise<Taken<string> | undefined> {
    // After a crash, two messages may name the same mail. The one that took it stays in the queue until the mail is recorded.
    if (this.#inHand.has(id)) return undefined;
    this.#inHand.add(id);
    let isTaken = false;
    try {
      const row = await this.#ledger.take(id);
      if (!row) return undefined;
      isTaken = true;
      // Checked when the mail was stored: a second check would cost as much as the rest.
      const parsed = JSON.parse(row.fields) as MailFields;
      return { named: id, mail: { ...row, parsed, destination: row.recipient } };
    } finally {
      if (!isTaken) this.#inHand.delete(id);
    }
  }

  async keepFields({ id, fields }: MailToSend): Promise<void> {
    await this.#prepared.ask({ id, fields });
  }

  async record(ended: readonly Ended<string>[], { lane }: { lane: 'high' | 'normal' }): Promise<Settlement> {
    try {
      await Promise.all(ended.map((one) => this.#recordOne(one, lane)));
    } finally {
      for (const { named } of ended) this.#inHand.delete(named);
    }
    return ended.some(({ end }) => end === 'stopped') ? 'release' : 'ack';
  }

  async #recordOne({ mail, end }: Ended<string>, lane: 'high' | 'normal'): Promise<void> {
    if (!mail || end === 'erased') return;
    // The message is delivered again, and the mail taken again.
    if (end !== 'stopped' && 'error' in end) throw end.error;
    const { verdict: given, relay } = end === 'stopped' ? { verdict: returned, relay: '' } : end;
    const verdict = { ...given, answer: answerText(given.answer) };
    const { id, owner, campaign, class: className } = mail;
    await this.#ledger.record({ id, owner, campaign, class: className, lane, relay, ...verdict });
    tellResult(this.#engine, mail, verdict);
    if (verdict.state === 'sent' && deletesFiles(mail.parsed))
      await deleteSentFiles(this.#engine, this.#settings, id);
  }
}

/** One transaction for all mails that were prepared while the previous one was written. */
function storePrepared(engine: Pick<Engine, 'database'>) {
  return new InBatches<Pick<MailRow, 'id' | 'fields'>, undefined>(200, async (mails) => {
    await mailDatabase(engine).transaction(async (transaction) => {
      for (const { id, fields } of mails)
        await transaction.updateTable('mail_mail').set({ fields }).where('id', '=', id).execute();
    });
    return mails.map(() => undefined);
  });
}
