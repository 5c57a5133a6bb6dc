export interface LiquidTag {
  text: string;
  index: number;
}

const ends = { '{{': '}}', '{%': '%}' };

/** Every `{{ ... }}` and `{% ... %}` of a template; what has no end is text. */
export function liquidTags(template: string): LiquidTag[] {
  const found: LiquidTag[] = [];
  /** Ends that don't come again: searching for them from each beginning would take quadratic time. */
  const gone = new Set<string>();
  let at = template.indexOf('{');
  while (at >= 0 && gone.size < 2) {
    const end = ends[template.slice(at, at + 2) as keyof typeof ends];
    const closing = end === undefined || gone.has(end) ? -1 : template.indexOf(end, at + 2);
    if (end !== undefined && closing < 0) gone.add(end);
    if (end !== undefined && closing >= 0)
      found.push({ text: template.slice(at, closing + end.length), index: at });
    at = template.indexOf('{', closing < 0 ? at + 1 : closing + 2);
  }
  return found;
}
