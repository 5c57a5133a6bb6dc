import { errorStatus } from '../../src/engine/ground/errors.ts';
import { type House, loadHouses } from '../../src/engine/house.ts';
import { nounOf } from '../../src/server/openapi/openapi.ts';
import { ownPaths } from '../../src/server/openapi/openapi-streams.ts';
import { type AnyOperation, operationsOf } from '../../src/server/operations.ts';
import { curl } from '../../src/server/pages/docs-page.ts';
import { inputSchema, outputSchema, routeOf } from '../../src/server/routes/operation-routes.ts';
import { errorMeanings } from './error-meanings.ts';
import { inputTable } from './field-rows.ts';
import { anchor, code, codeBlock, tableRow } from './markdown.ts';
import { SharedObjects } from './shared-objects.ts';
import { typeText } from './type-text.ts';

const url = 'http://127.0.0.1:7475';

/** The generated part of docs/api.md: errors, the server's own paths, and every operation by house and noun. */
export async function apiReference(houses: readonly House[]): Promise<string> {
  const parts = [{ title: 'Engine', operations: operationsOf([]) }];
  for (const house of houses) {
    const [loaded] = await loadHouses([house]);
    parts.push({ title: house.title, operations: [...(loaded?.operations ?? [])] });
  }
  const operations = parts.flatMap((part) => part.operations);
  const shared = new SharedObjects(
    operations.flatMap((operation) =>
      'output' in operation ? [{ noun: nounOf(operation), schema: outputSchema(operation) }] : [],
    ),
  );
  const sections = parts.map((part) => houseSection(part.title, part.operations, shared));
  return [errorSection(), contents(parts), ownPathSection(), ...sections].join('\n\n');
}

function errorSection(): string {
  const rows = Object.entries(errorMeanings).map(([name, meaning]) =>
    tableRow(code(name), String(errorStatus[name as keyof typeof errorStatus]), meaning),
  );
  return ['## Error codes', '', '| Code | Status | Meaning |', '|---|---|---|', ...rows].join('\n');
}

function contents(parts: readonly { title: string; operations: readonly AnyOperation[] }[]): string {
  const lines = parts.map(({ title, operations }) => {
    const nouns = [...byNoun(operations).keys()].map((noun) => `[${noun}](#${anchor(noun)})`);
    return `- [${title}](#${anchor(title)}): ${nouns.join(', ')}`;
  });
  return [
    '## Contents',
    '',
    '- [Bytes, live changes, health and metrics](#bytes-live-changes-health-and-metrics)',
    ...lines,
  ].join('\n');
}

function ownPathSection(): string {
  const rows = Object.entries(ownPaths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { summary: string; 'x-role'?: string }>).map(
      ([method, described]) =>
        tableRow(
          code(`${method.toUpperCase()} ${path}`),
          code(described['x-role'] ?? 'public'),
          described.summary,
        ),
    ),
  );
  const table = ['| Route | Role | What it does |', '|---|---|---|', ...rows];
  return ['## Bytes, live changes, health and metrics', '', ...table].join('\n');
}

function houseSection(title: string, operations: readonly AnyOperation[], shared: SharedObjects): string {
  const nouns = [...byNoun(operations)].map(([noun, list]) =>
    [`### ${noun}`, ...objectsOf(noun, shared), ...list.map((operation) => entry(operation, shared))].join(
      '\n\n',
    ),
  );
  return [`## ${title}`, ...nouns].join('\n\n');
}

function objectsOf(noun: string, shared: SharedObjects): string[] {
  return shared.all
    .filter((object) => object.noun === noun)
    .map(({ name, schema }) => {
      const nameOf = (inner: typeof schema) => (inner === schema ? undefined : shared.nameOf(inner));
      return codeBlock('ts', `${name} = ${typeText(schema, nameOf)}`);
    });
}

function entry(operation: AnyOperation, shared: SharedObjects): string {
  const changes = 'changes' in operation && operation.changes;
  const whose = typeof operation.owner === 'function' ? ', owner' : '';
  const route = `${changes ? 'POST' : 'GET'} ${routeOf(operation)}`;
  return [
    `#### ${operation.name}`,
    `${operation.summary}.`,
    `${code(route)} · ${operation.role}${whose}`,
    inputTable(inputSchema(operation)),
    codeBlock('sh', curl({ ...operation, changes }, url)),
    answer(operation, shared),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function answer(operation: AnyOperation, shared: SharedObjects): string {
  if (!('output' in operation)) return 'Answers with the bytes.';
  const schema = outputSchema(operation);
  const text = typeText(schema, (inner) => shared.nameOf(inner));
  if (text === '{}') return '';
  return text.includes('\n') ? `Answers:\n\n${codeBlock('ts', text)}` : `Answers ${code(text)}`;
}

function byNoun(operations: readonly AnyOperation[]): Map<string, AnyOperation[]> {
  return Map.groupBy(operations, nounOf);
}
