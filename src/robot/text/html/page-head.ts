import { decodeAttribute, decodeText } from '../../../formats/markup/entities.ts';
import type { Attributes } from '../../../formats/markup/scan.ts';

/** What the tags of a page say besides its text: title, links, rules for robots, author, date. */
export class PageHead {
  title = '';
  base: string | undefined;
  canonical: string | undefined;
  language: string | undefined;
  readonly links: { href: string; nofollow: boolean }[] = [];
  /** As in an X-Robots-Tag header: `noindex, nofollow`, or for one robot `googlebot: noindex`. */
  readonly robots: string[] = [];
  /** Contents of <meta>, by lower-case name or property; the first of each. */
  readonly meta = new Map<string, string>();
  /** Structured data (JSON-LD) as it is written. */
  readonly structured: string[] = [];
  /** The first <time datetime>. */
  time: string | undefined;

  tag(name: string, attributes: Attributes): void {
    if (name === 'a' || name === 'area') this.#link(attributes.get('href'), attributes.get('rel'));
    else if (name === 'iframe' || name === 'frame') this.#link(attributes.get('src'), undefined);
    else if (name === 'link') this.#linkElement(attributes);
    else if (name === 'meta') this.#metaElement(attributes);
    else if (name === 'base') this.base ??= value(attributes, 'href');
    else if (name === 'html') this.language ??= value(attributes, 'lang') ?? value(attributes, 'xml:lang');
    else if (name === 'time') this.time ??= value(attributes, 'datetime');
  }

  raw(name: string, content: string, attributes: Attributes): void {
    if (name === 'title') {
      if (this.title === '') this.title = plain(decodeText(content));
    } else if (/ld\+json/i.test(attributes.get('type') ?? '') && this.structured.length < 10)
      this.structured.push(content.slice(0, longestStructured));
  }

  #link(href: string | undefined, rel: string | undefined): void {
    if (href === undefined || href === '' || href.startsWith('#')) return;
    this.links.push({
      href: decodeAttribute(href),
      nofollow: rel !== undefined && /\bnofollow\b/i.test(rel),
    });
  }

  #linkElement(attributes: Attributes): void {
    const rel = attributes.get('rel')?.toLowerCase() ?? '';
    const href = value(attributes, 'href');
    if (href === undefined) return;
    const names = rel.split(/\s+/);
    if (names.includes('canonical')) this.canonical ??= href;
    else if (names.some((name) => followed.has(name)) && !names.includes('stylesheet')) {
      const type = attributes.get('type');
      if (!names.includes('alternate') || type === undefined || /rss|atom|html/i.test(type))
        this.#link(href, rel);
    }
  }

  #metaElement(attributes: Attributes): void {
    const content = value(attributes, 'content');
    if (content === undefined) return;
    const name = (
      value(attributes, 'name') ??
      value(attributes, 'property') ??
      value(attributes, 'itemprop') ??
      ''
    ).toLowerCase();
    if (name === 'robots') this.robots.push(content.toLowerCase());
    else if (name === 'tdm-reservation' || name === 'tdm-policy') this.robots.push(`${name}: ${content}`);
    else if (name !== '' && onlyDirectives.test(content))
      this.robots.push(`${name}: ${content.toLowerCase()}`);
    if (name !== '' && !this.meta.has(name) && this.meta.size < 200) this.meta.set(name, content);
    const refresh = (attributes.get('http-equiv') ?? '').toLowerCase() === 'refresh';
    const [, target] = refresh ? (refreshTarget.exec(content) ?? []) : [];
    if (target !== undefined) this.#link(target.trim(), undefined);
  }
}

/** Structured data is searched with expressions that look hundreds of characters ahead. */
const longestStructured = 100_000;

const followed = new Set(['next', 'prev', 'alternate']);

/** 5; url=x, and what browsers take for it: 0,x and 0 URL='x'. */
const refreshTarget = /^[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?["']?([^"']+)/i;

const onlyDirectives =
  /^\s*(?:(?:all|none|(?:no)?(?:index|follow|archive|snippet|cache|ai|imageai|imageindex|translate|odp|ydir)|max-[a-z-]+:-?\w+)\s*(?:,\s*|$))+$/i;

function value(attributes: Attributes, name: string): string | undefined {
  const found = attributes.get(name);
  if (found === undefined) return undefined;
  const text = plain(decodeAttribute(found));
  return text === '' ? undefined : text;
}

function plain(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
