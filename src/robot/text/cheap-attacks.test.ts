import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTime } from '../../engine/testing/cpu-time.ts';
import { linksIn, trimLineEnds } from '../../formats/converted/converted.ts';
import { readRtf } from '../../formats/office/rtf.ts';
import { readMbox } from './formats/mbox.ts';
import { cleanHtml } from './html/clean-html.ts';
import { parseRobots } from './robots-rules.ts';
import { segment } from './segment/segment.ts';
import { trapIn } from './url/traps.ts';

const read = (html: string) =>
  cleanHtml(Buffer.from(html), { url: 'http://a.cz/', contentType: 'text/html; charset=utf-8', main: true });
const split = (text: string) => segment(text, { languages: [] });

/** Each fits into a few kilobytes when it is packed, and took seconds to minutes. */
const attacks: Readonly<Record<string, () => unknown>> = {
  'lines that go on': () => split('slovo\n'.repeat(200_000)),
  'divided words': () => split('slo-\n'.repeat(200_000)),
  'outlines that are none': () => split('I.I.I.I.I.I.I.I.I.I.I.I.I.1I. A '.repeat(20_000)),
  'a base and links': () =>
    read(`<base href="http://b.cz/${'a/'.repeat(200_000)}">${'<a href="?x">'.repeat(20_000)}`),
  'a class of half a megabyte': () =>
    read(`<div class="${'A'.repeat(500_000)}">${'<p>x</p>'.repeat(15_000)}`),
  'a title of half a megabyte': () =>
    read(`<title>${'a'.repeat(500_000)}b</title>${`<p>${'a'.repeat(100)}c</p>`.repeat(5_000)}`),
  'labels of a charset that do not end': () => {
    const head = `${'<meta'.repeat(50)} charset=${' '.repeat(3_700)}>`;
    for (let page = 0; page < 20; page++) read(head);
  },
  'sections that do not end': () => read('<![CDATA[]>'.repeat(50_000)),
  'a delay for many robots': () =>
    parseRobots(
      Buffer.from(
        `${Array.from({ length: 15_000 }, (_, n) => `User-agent: r${n}\n`).join('')}${'Crawl-delay: 1\n'.repeat(15_000)}`,
      ),
    ).crawlDelay('r7'),
  'wildcards in rules': () => {
    const rules = parseRobots(Buffer.from(`User-agent: *\n${'Disallow: /*aaaaaaaaab\n'.repeat(20_000)}`));
    for (let visit = 0; visit < 20; visit++) rules.isAllowed('r', `/${'a'.repeat(2_000)}`);
  },
  'a URL of dots': () => linksIn(`http://a.cz/${'.'.repeat(200_000)}x`),
  'spaces that end no line': () => trimLineEnds(` ${' '.repeat(200_000)}x\n`),
  'an RTF of spaces': () => readRtf(Buffer.from(`{\\rtf1 ${' '.repeat(200_000)}x}`)),
  sessions: () => {
    const url = `http://a.cz/?${'sess'.repeat(480)}`;
    for (let link = 0; link < 2_000; link++) trapIn(url);
  },
};

for (const [name, attack] of Object.entries(attacks))
  test(`${name}: an attack takes milliseconds`, () => {
    const before = process.threadCpuUsage();
    attack();
    const { user, system } = process.threadCpuUsage(before);
    assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`);
  });

test('a long message of a mailbox that arrives in small pieces is joined once', async () => {
  async function* arriving() {
    yield Buffer.from('From a\nSubject: b\n\n');
    for (let piece = 0; piece < 4_000; piece++) yield Buffer.alloc(1_000, 'a');
  }
  const messages: string[] = [];
  const ms = await cpuTime(async () => {
    for await (const { text } of readMbox(arriving())) messages.push(text);
  });
  assert.deepEqual(
    messages.map((text) => text.length),
    [4_000_000],
  );
  assert.ok(ms < 1_000, `${ms} ms`);
});

test('lines that go on are put together as before', () => {
  const paragraphs = (text: string) => split(text).paragraphs;
  assert.deepEqual(
    paragraphs('Kronika obce se psa-\nla dlouhá léta,\nA to v každém roce.\nDalší řádek je tu.'),
    [['Kronika obce se psala dlouhá léta, A to v každém roce.', 'Další řádek je tu.']],
  );
});

test('ends of lines lose spaces and tabs, and nothing else', () => {
  assert.equal(trimLineEnds('a \t\nb\n \n\nc  d \n e '), 'a\nb\n\n\nc  d\n e ');
});

test('of very many rules with wildcards, the last ones are read more strictly', () => {
  const many = Array.from({ length: 1_000 }, (_, n) => `Disallow: /${n}/*x`);
  const robots = parseRobots(
    Buffer.from(['User-agent: *', ...many, 'Disallow: /a/*b', 'Allow: /a/*c', 'Disallow: /d'].join('\n')),
  );
  const allowed = ['/7/y', '/7/yx', '/a/', '/a/c', '/b', '/d'].map((path) => robots.isAllowed('r', path));
  assert.deepEqual(allowed, [true, false, false, false, true, false]);
});
