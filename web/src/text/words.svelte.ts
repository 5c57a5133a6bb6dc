import type { Language } from './language.ts';
import { preferences } from './preferences.svelte.ts';

type Load<Text> = Readonly<Record<Language, () => Promise<{ default: Text }>>>;

const loaded = new Set<{ load(language: Language): Promise<() => void> }>();

/**
 * A catalogue of whole sentences. `en.ts` is the model, and `cs.ts` has its type: a sentence that one language lacks breaks
 * the build. The router loads a house's catalogue before its first page, so that pages read `words.t` without waiting.
 */
export class Words<Text extends object> {
  readonly #sources: Load<Text>;
  #text = $state.raw<Text>();

  constructor(sources: Load<Text>) {
    this.#sources = sources;
  }

  /** The sentences in the person's language. */
  get t(): Text {
    if (!this.#text) throw new Error('these sentences are not loaded yet: name the catalogue in house.ts');
    return this.#text;
  }

  /** Loads one language. What it returns shows it: all catalogues change at the same moment. */
  async load(language: Language): Promise<() => void> {
    const { default: text } = await this.#sources[language]();
    loaded.add(this);
    return () => {
      this.#text = text;
    };
  }

  /** Loads and shows the present language, unless it is there. */
  async ready(): Promise<void> {
    if (!this.#text) (await this.load(preferences.language))();
  }
}

/** `const words = catalogue({ en: () => import('./en.ts'), cs: () => import('./cs.ts') })`. */
export function catalogue<Text extends object>(sources: Load<Text>): Words<Text> {
  return new Words(sources);
}

export async function changeLanguage(language: Language): Promise<void> {
  const shows = await Promise.all([...loaded].map((one) => one.load(language)));
  for (const show of shows) show();
  preferences.language = language;
}
