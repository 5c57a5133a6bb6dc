import { createHash } from 'node:crypto';
import { escapeHtml } from '../../formats/markup/escape.ts';

/** A self-contained page: style and script are inline, and the content policy allows exactly these. */
export interface Page {
  html: string;
  policy: string;
}

export function page({ title, body, script }: { title: string; body: string; script?: string }): Page {
  const scriptTag = script === undefined ? '' : `<script type="module">${script}</script>`;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body>${body}${scriptTag}</body></html>`;
  const sources = [
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    `style-src '${hashOf(style)}'`,
    ...(script === undefined ? [] : [`script-src '${hashOf(script)}'`, "connect-src 'self'"]),
  ];
  return { html, policy: sources.join('; ') };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8d5cc, #3a3a40); --soft: light-dark(#f5f3ee, #232327);
  --mark: light-dark(#8a3b12, #f0a878); --text: light-dark(#22211e, #e8e6e1); --back: light-dark(#fffefb, #19191c); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 60rem; background: var(--back); color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .5rem; } h2 { margin: 2.5rem 0 .5rem; font-size: 1.3rem; }
h3 { font-size: 1rem; margin: 0; } a { color: var(--mark); } p { margin: .4rem 0 .8rem; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; } code { background: var(--soft); padding: .1em .3em; }
pre { background: var(--soft); padding: .75rem; white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0; border-radius: .3rem; }
pre code { padding: 0; } nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 1rem 0; }
article { border: 1px solid var(--line); border-radius: .4rem; padding: .9rem 1rem; margin: .8rem 0; }
.role { float: right; font-size: .8rem; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line); }
form { display: grid; gap: .8rem; max-width: 24rem; } label { display: grid; gap: .2rem; }
input, button { font: inherit; padding: .5rem .7rem; border: 1px solid var(--line); border-radius: .3rem;
  background: var(--soft); color: inherit; }
button { background: var(--mark); color: var(--back); border-color: transparent; cursor: pointer; }
.names td:first-child { white-space: nowrap; width: 12rem; }
.state { font-weight: 600; border-radius: 1rem; padding: 0 .6rem; border: 1px solid currentColor; }
.ok { color: light-dark(#1d6b38, #7fce9b); } .down, .starting, .stopping { color: light-dark(#a3270f, #ff9c86); }
[role=status] { min-height: 1.5rem; font-weight: 600; }
`;
