import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brokerSchemes } from '../../src/engine/broker/open.ts';
import { coordinationSchemes } from '../../src/engine/coordination/open.ts';
import { runServer } from '../../src/server/testing/running-server.ts';
import { shellBlocks } from './shell-blocks.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');

function matches(text: string, expression: RegExp): string[] {
  return [...text.matchAll(expression)].map(([, found = '']) => found);
}

test('every block of commands runs in a test or says in its first line that it does not', () => {
  const blocks = shellBlocks(page);
  assert.equal(blocks.length, matches(page, /^ *```(sh)/gm).length);
  for (const { marks, text, line } of blocks) {
    if (marks[0] !== 'test') assert.match(text, /^# untested\b/, `line ${line}`);
  }
});

test('every kind of alert in the code has a section, and every section a kind', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter(
    (file) => !/\.test\.ts$|\/testing\//.test(file),
  );
  const kinds = files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return [
      ...matches(source, /\braise\(\s*'([^']+)'/g),
      ...matches(source, /\balertKind: '([^']+)'/g),
      ...(file.startsWith('src/engine/health/checks/') ? matches(source, /^ +kind: '([^']+)'/gm) : []),
    ];
  });
  assert.ok(kinds.length >= 10, `only ${kinds}`);
  assert.deepEqual(matches(page, /^### `(.+)`$/gm).sort(), [...new Set(kinds)].sort());
});

test('every scheme and parameter of an address that the code takes is described', () => {
  for (const scheme of [...brokerSchemes, ...coordinationSchemes])
    assert.ok(page.includes(`\`${scheme}:`), scheme);
  const read = (file: string) => readFileSync(join(root, 'src/engine', file), 'utf8');
  const parameters = [
    ...matches(read('database/postgres/address.ts'), /^ {2}'(\w+)',$/gm),
    ...matches(read('broker/rabbitmq/address.ts'), /(\w+file): '/g),
    ...matches(read('coordination/zookeeper/address.ts'), /(\w+file): '/g),
  ];
  assert.ok(parameters.length >= 12, `only ${parameters}`);
  for (const parameter of parameters) assert.ok(page.includes(`\`${parameter}\``), parameter);
});

test('the metrics that are described are those that there are', async (t) => {
  const server = await runServer(t);
  const local = { key: server.localToken };
  const crawl = {
    name: 'Czech',
    seeds: ['https://www.example.cz/'],
    contact: 'https://www.example.org/robot',
  };
  assert.equal((await server.call('robot.new', crawl, local)).status, 200);
  assert.equal((await server.call('robot.start', { crawl: 'Czech' }, local)).status, 200);
  const { text } = await server.send('GET', '/metrics', local);
  const section = page.slice(page.indexOf('## Monitoring'), page.indexOf('## Alerts'));
  const described = matches(section, /`((?:pismak|process|nodejs)_\w+)`/g);
  const there = matches(text, /^# TYPE (\S+)/gm);
  assert.deepEqual(
    there.filter((name) => !described.includes(name)),
    [],
  );
  // Those of workers and of errors are missing as long as there are none.
  const missing = described.filter((name) => !there.includes(name));
  assert.deepEqual(
    missing.filter((name) => !/^pismak_(workers|process|http|queue|robot_errors)/.test(name)),
    [],
  );
});

test('files that the page names are there', () => {
  for (const file of matches(page, /\]\(((?:\.\.\/)?[\w./-]+)(?:#[\w-]+)?\)/g)) {
    assert.ok(existsSync(join(root, 'docs', file)), file);
  }
  for (const file of matches(page, /`?(deploy\/[\w./@-]+\w)/g)) assert.ok(existsSync(join(root, file)), file);
});
