/** What a page and its server allow; stored with the document. */
export interface Decision {
  /** The text may go into the corpus. */
  index: boolean;
  follow: boolean;
  /** The answer may be kept in a WARC file. */
  archive: boolean;
  /** The directives that decided, word for word. */
  because: string[];
}

/**
 * Combines meta robots, X-Robots-Tag and reservations of text and data mining; the strictest wins. Both kinds of robots rules may begin
 * with the name of a robot and then hold for it alone.
 */
export function decide({
  agent,
  headers,
  metaRobots,
  isReserved = false,
}: {
  agent: string;
  headers: readonly (readonly [string, string])[];
  metaRobots: readonly string[];
  /** tdmrep.json reserves the page; a header of the answer takes precedence. */
  isReserved?: boolean;
}): Decision {
  const decision: Decision = { index: true, follow: true, archive: true, because: [] };
  for (const rule of metaRobots)
    for (const directive of directivesFor(agent, rule)) obey(decision, directive, 'meta');
  let isSaid = false;
  for (const [name, value] of headers) {
    switch (name.toLowerCase()) {
      case 'x-robots-tag':
        for (const directive of directivesFor(agent, value)) obey(decision, directive, 'X-Robots-Tag');
        break;
      case 'tdm-reservation':
        isSaid = true;
        if (value.trim() === '1') forbid(decision, 'tdm-reservation: 1');
        break;
      case 'content-signal':
        if (/(^|[,;\s])ai-train\s*=\s*no\b/i.test(value)) forbid(decision, `Content-Signal: ${value.trim()}`);
        break;
    }
  }
  if (isReserved && !isSaid) forbid(decision, 'tdmrep.json');
  return decision;
}

function obey(decision: Decision, directive: string, from: string): void {
  const because = `${from}: ${directive}`;
  const isNone = directive === 'none';
  if (isNone || directive === 'noindex') decision.index = false;
  if (isNone || directive === 'nofollow') decision.follow = false;
  if (isNone || directive === 'noarchive') decision.archive = false;
  if (directive === 'noai' || directive === 'tdm-reservation') forbid(decision, because);
  if (['none', 'noindex', 'nofollow', 'noarchive'].includes(directive)) decision.because.push(because);
}

/** A reservation of text and data mining keeps a page out of the corpus and the archive; its links may be followed. */
function forbid(decision: Decision, because: string): void {
  decision.index = false;
  decision.archive = false;
  decision.because.push(because);
}

/** `otherbot: noindex, nofollow` is not for us; `noindex` is for everybody. */
function directivesFor(agent: string, value: string): string[] {
  const named = /^\s*([\w-]+)\s*:\s*(.*)$/s.exec(value);
  if (named && !/^(unavailable_after|max-[\w-]+)$/i.test(named[1] ?? '')) {
    if ((named[1] ?? '').toLowerCase() !== agent.toLowerCase()) return [];
    return splitList(named[2] ?? '');
  }
  return splitList(value);
}

function splitList(value: string): string[] {
  return value.split(',').map((directive) => directive.trim().toLowerCase());
}
