/** What a page and its server allow, in one record that is stored with the document. */
export interface Decision {
  /** The text may go into the corpus. */
  index: boolean;
  follow: boolean;
  /** The answer may be kept in a WARC file. */
  archive: boolean;
  /** What decided, word for word. */
  because: string[];
}

/**
 * Puts together meta robots, X-Robots-Tag and the ways to reserve text and data mining. The strictest wins. Both kinds of robots rules
 * may begin with the name of the robot that they are for.
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
  /** tdmrep.json reserves it; what the answer itself says counts more. */
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

/** A reservation of text and data mining forbids the corpus, not the crawl. */
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
