import { setImmediate } from 'node:timers/promises';
import { version } from '../../engine/ground/version.ts';
import type { Operation } from '../../engine/operation/operation.ts';
import type { StreamOperation } from '../../engine/operation/stream-operation.ts';
import { escapeHtml } from '../../formats/markup/escape.ts';
import { nounOf } from '../openapi/openapi.ts';
import { streamPaths } from '../openapi/openapi-streams.ts';
import { inputSchema, routeOf } from '../routes/operation-routes.ts';
import { type JsonSchema, queryFromInput } from '../routes/query-input.ts';
import { type Page, page } from './page.ts';

/** `/docs`: every operation with its role, its input and a call to copy. Gives way to others meanwhile. */
export async function docsPage(
  operations: readonly Operation[],
  streams: readonly StreamOperation[],
  url: string,
): Promise<Page> {
  const nouns = Map.groupBy(
    [...operations].sort((a, b) => a.name.localeCompare(b.name)),
    nounOf,
  );
  const links = [...nouns.keys(), 'streams'].map((noun) => `<a href="#${noun}">${noun}</a>`).join(' ');
  const sections: string[] = [];
  for (const [noun, list] of nouns) {
    sections.push(`<h2 id="${noun}">${noun}</h2>`);
    for (const operation of list) {
      sections.push(article(operation, url));
      await setImmediate();
    }
  }
  return page({
    title: 'Pismak API',
    body: `<main>${intro}<nav>${links}</nav>${sections.join('')}${streamArticles(streams)}</main>`,
  });
}

const intro = `<h1>Pismak ${version}: the API</h1>
<p>Reads are <code>GET</code> with the input in the query, changes are <code>POST</code> with JSON. Sign in with a key
(<code>pismak key create</code>): <code>Authorization: Bearer pk_...</code>. Roles: reader &lt; user &lt; admin. The body
of an error is <code>{"error": {"code", "message", "details"}}</code>; codes never change their meaning.
For programs: <a href="/api/v1/openapi.json">openapi.json</a>.</p>`;

function article(operation: Operation, url: string): string {
  const method = operation.changes ? 'POST' : 'GET';
  return `<article id="${operation.name}"><span class="role">${operation.role}</span>
<h3><code>${method} ${routeOf(operation)}</code></h3><p>${prose(operation.summary)}</p>
${fields(inputSchema(operation))}<pre><code>${escapeHtml(curl(operation, url))}</code></pre></article>`;
}

function fields(schema: JsonSchema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const needed = schema.required?.includes(name) ? 'required' : defaultOf(field);
    const cells = [name, typeName(field), needed, String(field.description ?? '')].map(prose);
    return `<tr><td><code>${cells[0]}</code></td><td>${cells[1]}</td><td>${cells[2]}</td><td>${cells[3]}</td></tr>`;
  });
  return rows.length === 0
    ? ''
    : `<table><tr><th>Field<th>Type<th>Default<th>Meaning</tr>${rows.join('')}</table>`;
}

/** Our own texts mark code as in Markdown. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

function defaultOf(field: JsonSchema): string {
  return field.default === undefined ? '' : `default ${JSON.stringify(field.default)}`;
}

function typeName(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeName))].join(' | ');
  if (schema.type === 'array') return `list of ${typeName(schema.items ?? {})}`;
  return [schema.type ?? 'any'].flat().join(' | ');
}

/** A call to copy, with the example of an operation. */
export function curl(
  operation: Pick<Operation, 'name' | 'role' | 'changes' | 'example'>,
  url: string,
): string {
  const key = operation.role === 'public' ? '' : ' -H "Authorization: Bearer $PISMAK_KEY"';
  const address = `${url}${routeOf(operation)}`;
  const input = operation.example as Record<string, unknown>;
  if (operation.changes) {
    return `curl${key} -H 'Content-Type: application/json' ${address} -d ${quoted(JSON.stringify(input))}`;
  }
  const query = queryFromInput(input);
  return `curl${key} ${quoted(query === '' ? address : `${address}?${query}`)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function streamArticles(streams: readonly StreamOperation[]): string {
  const articles = Object.entries(streamPaths(streams)).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary }]) =>
        `<article><h3><code>${method.toUpperCase()} ${path}</code></h3><p>${prose(summary)}</p></article>`,
    ),
  );
  return `<h2 id="streams">streams</h2>${articles.join('')}`;
}
