import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CrawlDefinition, crawlDefinition } from './crawl/options.ts';
import { crawl, quick, runTestRobot, servePages, storedLines, type TestPage } from './testing/crawl-web.ts';

const czech = `<p>${'Obecní kroniku začal psát roku 1921 místní učitel a popsal v ní velkou povodeň. '.repeat(5)}</p>`;
const english = `<p>${'The chronicle of the village was begun in 1921 by the teacher, who described a great flood. '.repeat(5)}</p>`;
const pages = new Map<string, string>([
  ['/', '<ul><li><a href="/years">Index of years</a></ul>'],
  ['/years', '<pre><a href="/1921">1921.html</a>   12-Jan-2024 10:10   1234</pre>'],
  ['/1921', `${czech}<a href="/english">In English</a>`],
  ['/english', `${english}<a href="/contents">Contents</a>`],
  ['/contents', '<ul><li><a href="/more">More</a></ul>'],
  ['/more', `${english}<a href="/still-more">Still more</a>`],
  ['/still-more', czech],
]);

async function pathsStored(t: Parameters<typeof runTestRobot>[0], options: Partial<CrawlDefinition>) {
  const origin = await servePages(t, (path): TestPage | undefined => {
    const page = pages.get(path);
    return page === undefined ? undefined : ['text/html; charset=utf-8', page];
  });
  const engine = await runTestRobot(t);
  const definition = { seeds: [`${origin}/`], allowPrivate: true, ...quick, maxReqs: 50, reqDelay: 0 };
  const { number, statistics } = await crawl(engine, crawlDefinition.parse({ ...definition, ...options }));
  const lines = await storedLines(engine, number, 'documents');
  const stored = lines.filter(Boolean).map((line) => new URL(JSON.parse(line).url).pathname);
  return { stored: stored.sort(), statistics };
}

test('lists of links lead on; links of the second page in a row in another language are not followed, and are counted', async (t) => {
  const { stored, statistics } = await pathsStored(t, { language: ['cs'] });
  assert.deepEqual(stored, ['/', '/1921', '/contents', '/english', '/more', '/years']);
  assert.equal(statistics.notFollowed, 1);
});

test('a crawl that names no language takes all languages', async (t) => {
  const { stored } = await pathsStored(t, {});
  assert.deepEqual(stored, [...pages.keys()].sort());
});

test('folders with the same list of files are no trap: each leads to pages of its own', async (t) => {
  const folders = Array.from({ length: 25 }, (_, index) => `/language-${index}/`);
  const origin = await servePages(t, (path): TestPage | undefined => {
    const type = 'text/html; charset=utf-8';
    if (path === '/')
      return [type, folders.map((folder) => `<a href="${folder}">${folder}</a>`).join('<br>')];
    if (folders.includes(path))
      return [type, '<pre><a href="help.html">This page of help was written in January 2024</a></pre>'];
    return path.endsWith('/help.html') ? [type, `${english}<p>${path}</p>`] : undefined;
  });
  const engine = await runTestRobot(t);
  const definition = { seeds: [`${origin}/`], allowPrivate: true, ...quick, maxReqs: 500, reqDelay: 0 };
  const { number } = await crawl(engine, crawlDefinition.parse(definition));
  const lines = (await storedLines(engine, number, 'documents')).filter(Boolean);
  assert.equal(lines.filter((line) => /help\.html"/.test(line.slice(0, 100))).length, folders.length);
});
