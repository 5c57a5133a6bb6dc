import type { Engine } from '../../engine/composition/engine.ts';
import { buildSkeleton, type Skeleton } from '../mime/skeleton.ts';
import { type FairTemplate, FairTemplates } from '../templates/fair-templates.ts';
import { findType, type TypeVersion } from './mail-types.ts';

const mostKept = 500;

/** Caches types, templates and the plain skeleton. A version never changes, so entries never expire; the oldest are dropped. */
export class CompiledTypes {
  readonly #parts: Pick<Engine, 'database'>;
  readonly #types = new Map<string, Promise<TypeVersion>>();
  readonly #templates = new Map<string, Promise<FairTemplate>>();
  /** Renders templates beside the main thread, previews included. */
  readonly fair: FairTemplates;
  #bare: Promise<Skeleton> | undefined;

  constructor(parts: Pick<Engine, 'clock' | 'database'>) {
    this.#parts = parts;
    this.fair = new FairTemplates(parts.clock);
  }

  type(code: string, version: number): Promise<TypeVersion> {
    return kept(this.#types, `${code}/${version}`, () => findType(this.#parts, code, version));
  }

  template(type: TypeVersion, language: string): Promise<FairTemplate> {
    return kept(this.#templates, `${type.code}/${type.version}/${language}`, () =>
      this.fair.template(type, language),
    );
  }

  close(): void {
    this.fair.close();
  }

  /** The skeleton of mails without attachments, which are nearly all. */
  bareSkeleton(): Promise<Skeleton> {
    this.#bare ??= buildSkeleton([]);
    return this.#bare;
  }
}

function kept<Value>(
  map: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const found = map.get(key);
  if (found) return found;
  if (map.size >= mostKept) map.delete(map.keys().next().value as string);
  const made = make();
  map.set(key, made);
  // Failures are not cached: the database may be away.
  made.catch(() => map.delete(key));
  return made;
}
