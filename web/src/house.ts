import type { Component } from 'svelte';
import type { CallName } from './api/call.ts';
import type { Both } from './text/language.ts';
import type { Words } from './text/words.svelte.ts';
import type { IconName } from './ui/icons.ts';

/** What a page gets: the parts of its address. The query is `router.query`, the rest is its own. */
export interface PageProps {
  params: Readonly<Record<string, string | undefined>>;
}

export interface Route {
  /** Below /console/, such as `robot/crawls/:id/:tab?`. `?` ends a part that may be missing. */
  path: string;
  /** For the browser's tab and the palette. */
  title: Both;
  // biome-ignore lint/suspicious/noExplicitAny: a page may leave out the properties that it doesn't need
  load: () => Promise<{ default: Component<any> }>;
  /** Who may not call this sees neither the page nor a way to it. */
  needs?: CallName;
}

/** A place in the rail. */
export interface NavEntry {
  path: string;
  label: Both;
  icon: IconName;
  group: 'work' | 'houses' | 'engine' | 'administration';
  needs?: CallName;
  /** The number beside the label; read again when one of the house's `changes` comes. */
  count?: () => Promise<number | undefined>;
  /** The count is work for a person: shown in the accent. */
  urgent?: boolean;
  /** One of the four places at the bottom of a phone. */
  onPhone?: boolean;
}

/** Something that waits for a person. */
export interface TodoItem {
  key: string;
  state: 'waiting' | 'warning' | 'failed';
  /** A sentence as a colleague would say it. */
  title: string;
  detail?: string;
  /** Where it is looked after, below /console/. */
  path: string;
  since?: number;
}

/** One kind of work that waits, such as doubtful pages. */
export interface TodoKind {
  name: string;
  title: Both;
  needs: CallName;
  read: (limit: number) => Promise<{ count: number; items: TodoItem[] }>;
}

/** One step of the guided start: a component that does something real with the person. */
export interface GuideStep {
  name: string;
  title: Both;
  needs: CallName;
  // biome-ignore lint/suspicious/noExplicitAny: a component that takes no properties
  load: () => Promise<{ default: Component<any> }>;
}

/** What Ctrl-K finds besides pages. */
export interface SearchHit {
  title: string;
  detail?: string;
  path: string;
}

/** One part of the console: a house, or a part of the shell. */
export interface House {
  /** As the server calls it (`session.show` lists the houses that are on). Undefined: a part of the shell, always on. */
  name?: string;
  title: Both;
  nav: readonly NavEntry[];
  routes: readonly Route[];
  /** Kinds of changes (`document`, `queue`) after which counts and the list of work are read again. */
  changes: readonly string[];
  /** Its kinds of work, loaded with the page "To do". */
  todo?: () => Promise<{ todo: readonly TodoKind[] }>;
  /** Its steps of the guided start after the first sign-in. */
  guide?: () => Promise<{ guide: readonly GuideStep[] }>;
  /** Loaded at the first search. */
  search?: () => Promise<{ search: (words: string, signal: AbortSignal) => Promise<readonly SearchHit[]> }>;
  /** Its sentences: loaded with its first page. */
  // biome-ignore lint/suspicious/noExplicitAny: each house knows the type of its own
  text: Words<any>;
}
