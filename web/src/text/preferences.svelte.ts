import { type Language, languageOf, languages } from './language.ts';

export type Theme = 'system' | 'light' | 'dark';

const prefix = 'pismak.';

/** A choice that this browser keeps. Private windows may refuse to store anything: then it lasts as long as the tab. */
export function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(prefix + name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
  } catch {
    // Not stored.
  }
}

/** What a person has chosen in this browser. */
class Preferences {
  #language = $state<Language>(
    languages.find((one) => one === kept('language')) ?? languageOf(navigator.languages),
  );
  #theme = $state<Theme>((['light', 'dark'] as const).find((one) => one === kept('theme')) ?? 'system');
  #narrow = $state(kept('rail') === 'narrow');
  #zone = $state(knownZone(kept('zone')));

  get language(): Language {
    return this.#language;
  }
  /** Use `changeLanguage`, which loads the sentences first. */
  set language(language: Language) {
    this.#language = language;
    keep('language', language);
    document.documentElement.lang = language;
  }

  get theme(): Theme {
    return this.#theme;
  }
  set theme(theme: Theme) {
    this.#theme = theme;
    keep('theme', theme === 'system' ? undefined : theme);
    this.apply();
  }

  /** The rail shows icons only. */
  get narrowRail(): boolean {
    return this.#narrow;
  }
  set narrowRail(narrow: boolean) {
    this.#narrow = narrow;
    keep('rail', narrow ? 'narrow' : undefined);
  }

  /** The time zone of all times, such as Europe/Prague; undefined: that of this computer. */
  get zone(): string | undefined {
    return this.#zone;
  }
  set zone(zone: string | undefined) {
    this.#zone = knownZone(zone);
    keep('zone', this.#zone);
  }

  apply(): void {
    document.documentElement.lang = this.#language;
    document.documentElement.style.colorScheme = this.#theme === 'system' ? 'light dark' : this.#theme;
  }
}

function knownZone(zone: string | undefined): string | undefined {
  if (zone === undefined) return undefined;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return undefined;
  }
}

export const preferences = new Preferences();
