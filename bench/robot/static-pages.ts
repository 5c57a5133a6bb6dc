import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chance, pathOf } from '../../src/robot/web/web-plan.ts';
import { paragraph } from '../../src/robot/web/web-text.ts';

const seed = 3;
const paragraphs = 6;
const sections = [
  'Domů',
  'Zprávy',
  'Kronika',
  'Obec',
  'Škola',
  'Spolky',
  'Sport',
  'Kultura',
  'Úřad',
  'Kontakt',
];

/** Writes a site of a small town as files, for nginx: an article a page, with menu, list of other articles, footer, style and script. */
export async function writePages(directory: string, pages: number): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (let page = 0; page < pages; page++) {
    await writeFile(join(directory, page === 0 ? 'index.html' : pathOf(page)), pageOf(page, pages));
  }
}

const beginnings = [
  'Boř',
  'Mil',
  'Krás',
  'Hos',
  'Lib',
  'Voj',
  'Dob',
  'Chval',
  'Rad',
  'Svět',
  'Tuř',
  'Zden',
  'Jar',
  'Let',
];
const endings = [
  'etice',
  'ovice',
  'ov',
  'šín',
  'níkov',
  'ěchov',
  'iny',
  'ná Lhota',
  'ský Újezd',
  'oňov',
  'ůvka',
  'ětín',
];

/** A sentence that no other page has: pages of real sites are not made of the same few. */
function record(page: number, part: number): string {
  const pick = <T>(list: readonly T[], word: string) =>
    list[Math.floor(chance(seed, word, page, part) * list.length)];
  const place = `${pick(beginnings, 'beginning')}${pick(endings, 'ending')}`;
  const year = 1600 + Math.floor(chance(seed, 'year', page, part) * 350);
  const people = 20 + Math.floor(chance(seed, 'people', page, part) * 900);
  return `Roku ${year} žilo v obci ${place} podle zápisu číslo ${page * paragraphs + part} celkem ${people} obyvatel.`;
}

/** The tree makes every page reachable; the menu and the other articles repeat links, as sites do. */
function pageOf(page: number, pages: number): string {
  const children = [2 * page + 1, 2 * page + 2].filter((child) => child < pages);
  const others = Array.from({ length: 6 }, (_, index) => Math.floor(chance(seed, page, index) * pages));
  const texts = Array.from(
    { length: paragraphs },
    (_, part) => `${paragraph(seed, 'cs', 3, page, part)} ${record(page, part)}`,
  );
  const menu = sections.map(
    (name, index) =>
      `<li class="menu-item"><a class="menu-link" href="${pathOf(index % pages)}">${name}</a></li>`,
  );
  const articles = [...children, ...others].map(
    (other) =>
      `<li class="article-teaser"><a href="${pathOf(other)}"><span class="teaser-title">Zápis ${other}</span></a> <time>12. 5.</time></li>`,
  );
  return `<!doctype html>
<html lang="cs"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Zápis ${page} | Městečko</title>
<meta name="description" content="Z kroniky městečka, zápis ${page}"><link rel="stylesheet" href="/site.css"><link rel="canonical" href="${pathOf(page)}">
<style>.site-header{display:flex;gap:1rem}.menu-item{list-style:none}.article-body p{margin:1em 0;line-height:1.5}.teaser-title{font-weight:600}</style>
<script>window.dataLayer = window.dataLayer || []; function gtag() { dataLayer.push(arguments); } gtag("js", new Date());</script></head>
<body class="page page-article"><header class="site-header"><div class="logo"><a href="/">Městečko</a></div>
<nav class="main-menu"><ul class="menu">${menu.join('\n')}</ul></nav></header>
<main class="content"><article class="article"><h1 class="article-title">Zápis ${page}</h1><div class="article-meta">Napsal kronikář, <time>12. 5. 2024</time></div>
<div class="article-body">${texts.map((text) => `<p>${text}</p>`).join('\n')}</div></article>
<aside class="sidebar"><h2>Další zápisy</h2><ul class="article-list">${articles.join('\n')}</ul></aside></main>
<footer class="site-footer"><p>© Městečko, všechna práva vyhrazena</p><ul><li><a href="/" rel="home">Úvod</a></li><li><a href="mailto:urad@mestecko.cz">Napište nám</a></li></ul></footer>
</body></html>
`;
}
