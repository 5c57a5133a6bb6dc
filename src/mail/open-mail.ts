import type { Engine } from '../engine/engine.ts';
import { sectionOf } from '../engine/house.ts';
import { Composer } from './delivery/compose.ts';
import { loadAttachment } from './delivery/load-attachment.ts';
import { mail } from './house.ts';
import { openTokens } from './tokens.ts';
import { CompiledTypes } from './types/compiled-types.ts';

/** Where links in mails lead: the address that users open. */
export function publicUrl({ settings }: Pick<Engine, 'settings'>): string {
  const { publicUrl, host, port } = settings.http;
  return (publicUrl ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`).replace(/\/$/, '');
}

const composers = new WeakMap<object, Promise<Composer>>();

/** The composer of an engine, shared by senders, pages and previews. */
export function composerOf(engine: Pick<Engine, 'blobs' | 'database' | 'settings'>): Promise<Composer> {
  let composer = composers.get(engine.database);
  if (!composer) {
    composer = makeComposer(engine);
    composers.set(engine.database, composer);
    composer.catch(() => composers.delete(engine.database));
  }
  return composer;
}

async function makeComposer(engine: Pick<Engine, 'blobs' | 'database' | 'settings'>): Promise<Composer> {
  const settings = sectionOf(engine.settings, mail);
  const url = publicUrl(engine);
  return new Composer({
    settings,
    types: new CompiledTypes(engine),
    tokens: await openTokens(engine),
    publicUrl: () => url,
    loadAttachment: (attachment) => loadAttachment(engine, settings, attachment),
  });
}
