import type { Input, Output } from '../api/call.ts';

export type ListedDocument = Output<'document.ls'>['documents'][number];
export type DocumentState = ListedDocument['state'];
type Filters = Omit<Input<'document.ls'>, 'offset' | 'limit'>;

export const documentStates: readonly DocumentState[] = [
  'open',
  'waiting',
  'running',
  'done',
  'partly',
  'failed',
  'cancelled',
];
const sorts = ['created', 'name', 'owner', 'state', 'pages', 'confidence'] as const;
const dayMs = 24 * 60 * 60 * 1000;

/** What the address of the list says, as the server understands it. What it does not understand is left out. */
export function filtersOf(query: URLSearchParams): Filters {
  const text = (name: string) => query.get(name)?.trim() || undefined;
  const states = documentStates.filter((state) => query.get('state')?.split(',').includes(state));
  const keywords = query
    .getAll('keyword')
    .flatMap((value) => value.split(',').filter(Boolean))
    .slice(0, 5);
  const has = (['doubtful', 'no-text'] as const).find((one) => one === query.get('has'));
  const [from, to] = [dayOf(query.get('from')), dayOf(query.get('to'))];
  const surer = share(query.get('surer'));
  const unsurer = share(query.get('unsurer'));
  const { sort, order } = sortOf(query);
  const [nameHas, owner] = [text('q'), text('owner')];
  return {
    ...(nameHas !== undefined && { nameHas }),
    ...(owner !== undefined && { owner }),
    ...(states.length > 0 && { state: states }),
    ...(keywords.length > 0 && { keyword: keywords }),
    ...(has && { has }),
    ...(from !== undefined && { createdFrom: from }),
    // The last day counts whole.
    ...(to !== undefined && { createdBefore: to + dayMs }),
    ...(surer !== undefined && { minConfidence: surer }),
    ...(unsurer !== undefined && { maxConfidence: unsurer }),
    sort,
    order,
  };
}

/** `-created` is newest first. */
export function sortOf(query: URLSearchParams): { sort: (typeof sorts)[number]; order: 'asc' | 'desc' } {
  const wanted = query.get('sort') ?? '-created';
  const sort = sorts.find((one) => one === wanted.replace(/^-/, '')) ?? 'created';
  return { sort, order: wanted.startsWith('-') ? 'desc' : 'asc' };
}

export const filterNames = [
  'q',
  'owner',
  'state',
  'keyword',
  'has',
  'from',
  'to',
  'surer',
  'unsurer',
] as const;
export const isFiltered = (query: URLSearchParams) => filterNames.some((name) => query.get(name));

/** The beginning of a day in the person's zone, of `2026-03-18`. */
function dayOf(text: string | null): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? '');
  if (!match) return undefined;
  const at = new Date(Number(match[1]), Number(match[2]) - 1, Number(match[3])).getTime();
  return Number.isNaN(at) ? undefined : at;
}

/** Percent in the address, a share for the server. */
function share(text: string | null): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const value = Number(text);
  return value >= 0 && value <= 100 ? value / 100 : undefined;
}
