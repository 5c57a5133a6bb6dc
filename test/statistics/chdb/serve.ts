/**
 * `node serve.ts PORT DIRECTORY`: a current ClickHouse behind the part of its HTTP interface that Pismak uses. The library chdb executes
 * every statement as it came; it has no server of its own, so users, replication and `KILL QUERY` are missing here.
 */
import { mkdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

interface Session {
  queryAsync(sql: string, options: { format: string }): Promise<{ bytes(): Uint8Array }>;
}

// Installed by the set-up of `npm run prove` only, so the compiler can't count on its types.
const { Session } = createRequire(import.meta.url)('chdb') as {
  Session: new (path: string, options: { connectionArgs: string[] }) => Session;
};

/** Parameters that are about the request, not about the statement. */
const notSettings = new Set(['query', 'query_id', 'wait_end_of_query', 'max_query_size']);

const [port = '', directory = ''] = process.argv.slice(2);
const inbox = join(directory, 'inbox');
mkdirSync(inbox, { recursive: true });
const session = new Session(join(directory, 'data'), { connectionArgs: ['--max_query_size=16777216'] });
let requests = 0;

http
  .createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/ping') return void response.end('Ok.\n');
    try {
      const body = await buffer(request);
      response.end(await execute(searchParams, body, request.headers['content-type'] ?? ''));
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error));
    }
  })
  .listen(Number(port), '127.0.0.1');

async function execute(parameters: URLSearchParams, body: Buffer, type: string): Promise<Uint8Array> {
  const settings = [...parameters].filter(([name]) => !notSettings.has(name) && !name.startsWith('kept_'));
  const given = settings.length > 0 ? ` SETTINGS ${settings.map((pair) => pair.join(' = ')).join(', ')}` : '';
  const statement = parameters.get('query');
  if (statement === null) return ask(body.toString() + given);
  const boundary = /^multipart\/form-data; boundary=(.*)$/.exec(type)?.[1];
  const file = join(inbox, String(++requests));
  try {
    if (boundary === undefined) {
      await writeFile(file, body);
      const [, insert, format] = /^(INSERT INTO .*) (FORMAT \w+)$/s.exec(statement) ?? [];
      if (insert === undefined || settings.length > 0)
        throw new Error(`chdb is not asked in this way: ${statement}`);
      return await ask(`${insert} FROM INFILE '${file}' ${format}`);
    }
    await writeFile(file, onlyPart(body, boundary));
    const kept = `file('${file}', ${parameters.get('kept_format')}, '${parameters.get('kept_structure')}')`;
    return await ask(`WITH kept AS (SELECT * FROM ${kept}) ${statement}${given}`);
  } finally {
    await rm(file, { force: true });
  }
}

async function ask(sql: string): Promise<Uint8Array> {
  return (await session.queryAsync(sql, { format: 'TabSeparated' })).bytes();
}

/** The content of a form that has one field. */
function onlyPart(body: Buffer, boundary: string): Buffer {
  const blankLine = '\r\n\r\n';
  const end = body.length - `\r\n--${boundary}--\r\n`.length;
  return body.subarray(body.indexOf(blankLine) + blankLine.length, end);
}
