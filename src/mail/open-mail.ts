import type { Engine } from '../engine/engine.ts';
import { sectionOf } from '../engine/house.ts';
import { Composer } from './delivery/compose.ts';
import { loadAttachment } from './delivery/load-attachment.ts';
import { mail } from './house.ts';
import { Preparers } from './prepare/preparers.ts';
import { openTokens } from './tokens.ts';
import { CompiledTypes } from './types/compiled-types.ts';

/** Where links in mails lead: the address that users open. */
export function publicUrl({ settings }: Pick<Engine, 'settings'>): string {
  const { publicUrl, host, port } = settings.http;
  return (publicUrl ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`).replace(/\/$/, '');
}

type ComposingEngine = Pick<Engine, 'blobs' | 'clock' | 'configurationFile' | 'database' | 'settings'>;

const composers = new WeakMap<object, Promise<Composer>>();

/** The composer of an engine, shared by senders, pages and previews. */
export function composerOf(engine: ComposingEngine): Promise<Composer> {
  let composer = composers.get(engine.database);
  if (!composer) {
    composer = makeComposer(engine);
    composers.set(engine.database, composer);
    composer.catch(() => composers.delete(engine.database));
  }
  return composer;
}

async function makeComposer(engine: ComposingEngine): Promise<Composer> {
  const settings = sectionOf(engine.settings, mail);
  const url = publicUrl(engine);
  const preparers = new Preparers(engine, settings.prepare);
  return new Composer({
    settings,
    types: new CompiledTypes(engine),
    tokens: await openTokens(engine),
    publicUrl: () => url,
    prepare: (name, asked) => preparers.prepare(name, asked),
    close: () => preparers.close(),
    loadAttachment: (attachment) => loadAttachment(engine, settings, attachment),
  });
}
