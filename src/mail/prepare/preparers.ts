import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Engine } from '../../engine/composition/engine.ts';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { HelperProcess } from '../../engine/processor/helper-process.ts';
import { longestDataBytes } from '../model/mail.ts';
import { InBatches } from './in-batches.ts';

/** What a module sees of a mail. */
export interface MailToPrepare {
  id: string;
  type: string;
  to: { name?: string | undefined; address: string };
  language: string;
  data: Record<string, unknown>;
}

export interface PrepareQuestion {
  /** URL of the module. */
  module: string;
  mails: readonly MailToPrepare[];
}

/** The data as JSON. */
export type PrepareAnswer = { data: string } | { problem: string };

export type PrepareMail = (name: string, mail: MailToPrepare) => Promise<Record<string, unknown>>;

const mailsAtOnce = 50;
const limits = { seconds: 10, memoryMb: 512 };

/**
 * Modules that complete the data of mails before they are rendered (`[mail.prepare]`), each in a process of its own: a module
 * that crashes, hangs or runs out of memory fails only the mails it was given.
 */
export class Preparers {
  readonly #modules: ReadonlyMap<string, string>;
  readonly #clock: Engine['clock'];
  readonly #running = new Map<string, { helper: Helper; batches: InBatches<MailToPrepare, PrepareAnswer> }>();

  constructor(
    { clock, configurationFile }: Pick<Engine, 'clock' | 'configurationFile'>,
    modules: Readonly<Record<string, string>>,
  ) {
    const from = configurationFile === undefined ? process.cwd() : dirname(resolve(configurationFile));
    this.#clock = clock;
    this.#modules = new Map(
      Object.entries(modules).map(([name, path]) => [name, pathToFileURL(resolve(from, path)).href]),
    );
  }

  /** Fails with `invalid-input`, naming the module and the fault. */
  async prepare(name: string, mail: MailToPrepare): Promise<Record<string, unknown>> {
    const module = this.#modules.get(name);
    if (module === undefined)
      throw new PismakError('invalid-input', `the settings have no mail.prepare.${name}`);
    const answer = await this.#batchesOf(name, module).ask(mail);
    if ('problem' in answer) throw new PismakError('invalid-input', `prepare ${name}: ${answer.problem}`);
    if (answer.data.length > longestDataBytes)
      throw new PismakError('too-large', `prepare ${name}: its data exceeds ${longestDataBytes} bytes`);
    return JSON.parse(answer.data);
  }

  close(): void {
    for (const { helper } of this.#running.values()) helper.close();
    this.#running.clear();
  }

  #batchesOf(name: string, module: string): InBatches<MailToPrepare, PrepareAnswer> {
    const known = this.#running.get(name);
    if (known) return known.batches;
    const helper: Helper = new HelperProcess({
      module: new URL('./prepare-process.ts', import.meta.url),
      clock: this.#clock,
      // The administrator's own code: it may need the network, files and environment variables.
      decodes: false,
    });
    const batches = new InBatches<MailToPrepare, PrepareAnswer>(mailsAtOnce, (mails) =>
      ask(helper, module, mails),
    );
    this.#running.set(name, { helper, batches });
    return batches;
  }
}

type Helper = HelperProcess<PrepareQuestion, PrepareAnswer[]>;

/** If the process dies on several mails, each is tried alone, so that only the culprit fails. */
async function ask(
  helper: Helper,
  module: string,
  mails: readonly MailToPrepare[],
): Promise<PrepareAnswer[]> {
  try {
    return await helper.ask({ module, mails }, limits);
  } catch (error) {
    if (mails.length === 1) return [{ problem: messageOf(error) }];
    const answers: PrepareAnswer[] = [];
    for (const mail of mails) answers.push(...(await ask(helper, module, [mail])));
    return answers;
  }
}
