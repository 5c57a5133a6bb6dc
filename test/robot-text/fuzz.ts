import { cleanHtml, parseRobots, segment } from '../../src/robot/text/index.ts';
import { mutate, randomFrom } from './mutate.ts';

export interface FuzzFigures {
  cases: number;
  bytes: number;
  crashes: number;
  /** Texts with something in them that looks like a tag, or with what only scripts and styles say. */
  markup: number;
  longestMs: number;
  /** What went wrong first. */
  first: string | undefined;
}

const words = [
  '<',
  '>',
  '</',
  '/>',
  '"',
  "'",
  '=',
  '<!--',
  '-->',
  '--',
  '<![CDATA[',
  ']]>',
  '<?',
  '<!',
  '&',
  '&amp;',
  '&#x10FFFF;',
  '&#0;',
  '\0',
  '<script>',
  '</script>',
  '<style>',
  '</style>',
  '<p>',
  '</p>',
  '<div hidden>',
  '</div>',
  '<table>',
  '<tr>',
  '<td>',
  '</table>',
  '<svg>',
  '<title>',
  '</title>',
  '<textarea>',
  '</textarea>',
  '<noscript>',
  '</noscript>',
  '<plaintext>',
  '<xmp>',
  '<template>',
  '<pre>',
  '<a href="x">',
  '<base href="http://[">',
  '<meta charset=utf-16>',
  '<meta charset="',
  '\ufeff',
  '\u2028',
  '\ud83d\ude00',
  '<x:y z>',
];

/** Pages of all sorts of markup, none of which has a `<` in its text. */
export const samplePages: readonly string[] = [
  `<!doctype html><html lang=cs><head><meta charset=utf-8><title>Kronika</title><style>p > a { color: red } /* styled */</style>
   <script>if (1<2) document.write("<p>scripted</p>")</script></head><body class="a b"><nav><ul><li><a href="/1">Jedna</a><li><a href='/2'>Dvě</a></ul></nav>
   <article><h1>Povodeň</h1>${'<p>Roku 1921 přišla <b>velká</b> voda, která zničila <i>most</i> i&nbsp;mlýn.<br>Lidé si pomáhali.</p>'.repeat(5)}</article>
   <!-- commented <b>out</b> --><footer>© 2024</footer></body></html>`,
  `<HTML><BODY BGCOLOR=white><CENTER><FONT SIZE=7>Vítejte</FONT></CENTER><TABLE BORDER><TR><TD>a<TD>b<TR><TH>c<TD><TABLE><TR><TD>d</TABLE></TABLE>
   <PRE>  jedna\n\tdva</PRE><SELECT><OPTION>x<OPTION>y</SELECT><NOSCRIPT>bez skriptu</NOSCRIPT><IMG SRC=x ALT="a>b"><HR><DL><DT>a<DD>b</DL></BODY>`,
  `<div><div><div><span><em>Text</em> v <strong>mnoha <u>úrovních</u></strong></span></div></div></div><svg><title>ikona</title><path d="M0 0"/></svg>
   <form action="/x"><input name=q value="hledat"><button>Hledat</button><textarea>psaní</textarea></form><iframe src="/i"></iframe>`,
];
const sampleRobots = [
  'User-agent: *\nDisallow: /a\nAllow: /a/b*c$\nCrawl-delay: 2\n\nUser-agent: pismak\nDisallow: /*.pdf$\nSitemap: http://a.cz/s.xml\n',
  '\ufeffuser-agent: a\r\nuser-agent: b\rdisallow: /%7e\xff\n# comment\nallow /x\nDisalow: *\n',
];
const robotsWords = [
  '*',
  '$',
  '/',
  ':',
  '#',
  '\r',
  '\n',
  '%',
  '%2',
  '%e2%82',
  'User-agent: *\n',
  'Disallow: /*a*a*a*a*a*b$\n',
  'Allow:',
  '\0',
  '\ufeff',
];

/** Cleans and segments changed pages. */
export function fuzzPages(
  count: number,
  seed: number,
  { say }: { say?: (line: string) => void } = {},
): FuzzFigures {
  const random = randomFrom(seed);
  return fuzz(count, say, () => {
    const page = mutate(Buffer.from(samplePages[random(samplePages.length)] ?? ''), words, random);
    return {
      bytes: page,
      run() {
        const { text, mainText = '', links } = cleanHtml(page, { url: 'http://a.cz/b', main: true });
        for (const { url } of links) new URL(url);
        if (random(10) === 0) segment(text, { languages: ['cs'] });
        return looksLikeMarkup(text) ?? looksLikeMarkup(mainText);
      },
    };
  });
}

/** Reads changed robots.txt files and asks them. */
export function fuzzRobots(count: number, seed: number): FuzzFigures {
  const random = randomFrom(seed);
  return fuzz(count, undefined, () => {
    const file = mutate(Buffer.from(sampleRobots[random(sampleRobots.length)] ?? ''), robotsWords, random);
    return {
      bytes: file,
      run() {
        const rules = parseRobots(file);
        for (const path of ['/', '/a/bc', `/${'a'.repeat(2000)}`, '/x.pdf?%7e', file.toString('latin1')])
          rules.isAllowed('pismak', path);
        rules.crawlDelay('pismak');
        return undefined;
      },
    };
  });
}

const sayEvery = 10_000;

function fuzz(
  count: number,
  say: ((line: string) => void) | undefined,
  next: () => { bytes: Buffer; run(): string | undefined },
): FuzzFigures {
  const figures: FuzzFigures = {
    cases: count,
    bytes: 0,
    crashes: 0,
    markup: 0,
    longestMs: 0,
    first: undefined,
  };
  for (let left = count; left > 0; left -= 1) {
    const { bytes, run } = next();
    figures.bytes += bytes.length;
    // Processor time: a busy machine may let a case wait for a second.
    const before = process.threadCpuUsage();
    try {
      const found = run();
      if (found !== undefined) {
        figures.markup += 1;
        figures.first ??= `${found} in the text of ${JSON.stringify(bytes.toString())}`;
      }
    } catch (error) {
      figures.crashes += 1;
      figures.first ??= `${error instanceof Error ? error.stack : error} for ${JSON.stringify(bytes.toString())}`;
    }
    const { user, system } = process.threadCpuUsage(before);
    figures.longestMs = Math.max(figures.longestMs, (user + system) / 1000);
    const done = count - left + 1;
    if (done % sayEvery === 0)
      say?.(`${done} of ${count} changed pages, the longest took ${Math.round(figures.longestMs)} ms`);
  }
  return figures;
}

function looksLikeMarkup(text: string): string | undefined {
  const [found] = /<[a-z/!?][^\n]{0,30}/i.exec(text) ?? [];
  return found;
}

/** Pages that are made to take long: each with how its length grows. */
export const hostilePages: Readonly<Record<string, (length: number) => string>> = {
  'open elements': (length) => '<div><b>'.repeat(length / 8),
  'open links': (length) => '<a href=x>'.repeat(length / 10),
  'lone brackets': (length) => '<'.repeat(length),
  'open quotes': (length) => '<a b="'.repeat(length / 6),
  'unfinished comments': (length) => '<!--'.repeat(length / 4),
  'end tags of nothing': (length) => `${'<i>'.repeat(length / 6)}${'</b>'.repeat(length / 8)}`,
  'cells in cells': (length) => '<table><tr><td>x'.repeat(length / 16),
  'scripts that never end': (length) => '<script><!--<script>'.repeat(length / 20),
  noscript: (length) => '<noscript>'.repeat(length / 10),
  ampersands: (length) => '&'.repeat(length),
  attributes: (length) => `<p ${'a=b '.repeat(length / 4)}>`,
  'short lines': (length) => '<p>a, b.'.repeat(length / 8),
  'white space': (length) => ' \n'.repeat(length / 2),
  'full stops': (length) => 'A. '.repeat(length / 3),
};
