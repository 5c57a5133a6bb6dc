import type { Engine } from '../../engine/composition/engine.ts';
import { sectionOf } from '../../engine/house.ts';
import type { Progress } from '../../engine/sample/sample.ts';
import { OnDemand } from '../../engine/time/on-demand.ts';
import { Seldom } from '../../engine/time/seldom.ts';
import { WakeUp } from '../../engine/time/wake-up.ts';
import { Composer } from '../compose/composer.ts';
import { loadAttachment } from '../compose/load-attachment.ts';
import { Preparers } from '../prepare/preparers.ts';
import type { Relays } from '../relays/relays.ts';
import { ReportReader } from '../reports/report-reader.ts';
import { mailSection } from '../settings/settings.ts';
import type { TemplateData } from '../templates/compile.ts';
import { openTokens } from '../tokens/tokens.ts';
import { CompiledTypes } from '../types/compiled-types.ts';
import type { TypeVersion } from '../types/mail-types.ts';
import { campaignProgress } from './campaign-progress.ts';

type MailEngine = Pick<Engine, 'blobs' | 'clock' | 'configurationFile' | 'database' | 'settings'>;

/** What the house keeps while an engine is open: `stateOf(engine, OpenMail)`. */
export class OpenMail {
  readonly #types: CompiledTypes;
  readonly #composer: OnDemand<Composer>;
  /** The relays of this process, while it sends. */
  relays: Relays | undefined;
  /** Wakes the generator of campaigns. */
  readonly campaigns = new WakeUp();
  readonly reports: ReportReader;
  /** How far campaigns have come. Counting a million mails takes a while. */
  readonly progress: Seldom<Progress[]>;

  constructor(engine: MailEngine) {
    this.#types = new CompiledTypes(engine);
    this.reports = new ReportReader(engine.clock);
    this.progress = new Seldom(engine.clock, () => campaignProgress(engine));
    this.#composer = new OnDemand(
      () => openComposer(engine, this.#types),
      (composer) => composer.close(),
    );
  }

  /** The composer that senders, pages and previews share. */
  composer(): Promise<Composer> {
    return this.#composer.get();
  }

  /** A mail of this type with some data, and the texts that have no translation. */
  async preview(type: TypeVersion, language: string, data: TemplateData, owner: string) {
    const template = await this.#types.template(type, language);
    return template.preview(data, { owner, bytes: 0 });
  }

  async close(): Promise<void> {
    this.#types.close();
    this.reports.close();
    await this.#composer.close();
  }
}

async function openComposer(engine: MailEngine, types: CompiledTypes): Promise<Composer> {
  const settings = sectionOf(engine.settings, mailSection);
  const url = publicUrl(engine);
  const preparers = new Preparers(engine, settings.prepare);
  return new Composer({
    settings,
    types,
    tokens: await openTokens(engine),
    publicUrl: () => url,
    prepare: (name, asked) => preparers.prepare(name, asked),
    close: () => preparers.close(),
    loadAttachment: (attachment) => loadAttachment(engine, settings, attachment),
  });
}

/** Where links in mails lead: the address that users open. */
export function publicUrl({ settings }: Pick<Engine, 'settings'>): string {
  const { publicUrl, host, port } = settings.http;
  return (publicUrl ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`).replace(/\/$/, '');
}
