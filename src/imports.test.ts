import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brokenConsoleRules } from '../scripts/console-rules.ts';
import { type Floors, floors } from '../scripts/floors.ts';
import { brokenRules } from '../scripts/import-rules.ts';

const root = join(import.meta.dirname, '..');

test('imports point one way: cli and server to houses to engine; drivers stay in their ports; no cycles', () => {
  const files = globSync('src/**/*.ts', { cwd: root });
  assert.ok(files.length > 20, `only ${files.length} sources found`);
  const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  assert.deepEqual(brokenRules(sources), []);
});

test('every part of src/ has floors, and no floors are left of a part that is gone', () => {
  const parts = globSync('*/', { cwd: join(root, 'src') }).map((part) => part.replace(/\/$/, ''));
  assert.ok(parts.includes('engine'), parts.join(', '));
  assert.deepEqual(
    parts.filter((part) => !Object.hasOwn(floors, part)),
    [],
    'give them an entry in scripts/floors.ts',
  );
  assert.deepEqual(
    Object.keys(floors).filter((part) => !parts.includes(part)),
    [],
  );
});

test('houses of the console do not import each other, and the shell knows only their fronts', () => {
  const files = globSync('web/src/**/*.{ts,svelte}', { cwd: root });
  assert.ok(files.length > 20, `only ${files.length} sources found`);
  assert.deepEqual(
    brokenConsoleRules(new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))),
    [],
  );
});

const brokenInConsole: [claim: string, file: string, source: string, expected: RegExp][] = [
  ['another house', 'web/src/mail/a.ts', "import { b } from '../robot/b.ts';", /robot is known to/],
  [
    'another house, in a component',
    'web/src/mail/A.svelte',
    "  import B from '../robot/B.svelte';",
    /robot is known to/,
  ],
  ['a house from the shell', 'web/src/shell/a.ts', "import('../robot/b.ts');", /robot is known to/],
  [
    'more of a house than its front',
    'web/src/houses.ts',
    "import { b } from './robot/b.ts';",
    /robot is known to/,
  ],
  ['the server', 'web/src/mail/a.ts', "import { b } from '../../../src/mail/b.ts';", /from web\/src alone/],
];
for (const [claim, file, source, expected] of brokenInConsole) {
  test(`the console may not import ${claim}`, () => {
    const sources = { 'web/src/mail/house.ts': '', 'web/src/robot/house.ts': '', [file]: source };
    const broken = brokenConsoleRules(new Map(Object.entries(sources)));
    assert.equal(broken.length, 1, broken.join('\n'));
    assert.match(broken[0] ?? '', expected);
  });
}

const refused: [claim: string, sources: Record<string, string>, expected: RegExp][] = [
  [
    'the engine may not import a house',
    { 'src/engine/a.ts': "import { b } from '../mail/index.ts';" },
    /engine may not import mail/,
  ],
  [
    'a late import points one way too',
    { 'src/engine/a.ts': "const cli = await import('../cli/main.ts');" },
    /engine may not import cli/,
  ],
  [
    'houses do not import each other, not even types',
    { 'src/robot/a.ts': "import type { B } from '../mail/index.ts';" },
    /robot may not import mail/,
  ],
  [
    'the server may not import the command line',
    { 'src/server/a.ts': "import { b } from '../cli/b.ts';" },
    /server may not import cli/,
  ],
  [
    'the command line knows no house, not even its index',
    { 'src/cli/a.ts': "import { b } from '../mail/index.ts';" },
    /cli may not import mail .* houses are known to src\/houses\.ts only/,
  ],
  [
    'the list of houses sees only the front of each',
    { 'src/houses.ts': "import { b } from './mail/smtp.ts';" },
    /may not import mail/,
  ],
  [
    'no file outside names a table, a queue or a setting of a house',
    { 'src/mail/house.ts': '', 'src/server/a.ts': "query.selectFrom('mail_type'); // mail" },
    /src\/server\/a\.ts: names the house mail/,
  ],
  [
    'a driver stays in its port',
    { 'src/engine/worker.ts': "import { DatabaseSync } from 'node:sqlite';" },
    /node:sqlite belongs to/,
  ],
  [
    'our own code imports files, not the package that is made of them',
    { 'src/mail/greet.ts': "import { defineProcessor } from 'pismak';" },
    /pismak is for programs outside; import the file/,
  ],
  [
    'dialects of kysely stay in the database',
    { 'src/engine/a.ts': "import {\n  sql,\n  SqliteAdapter,\n} from 'kysely';" },
    /of kysely belongs to/,
  ],
  [
    'code does not lean on what is there for tests',
    { 'src/engine/a.ts': "import { eventually } from './testing/eventually.ts';" },
    /there for tests/,
  ],
  [
    'an idle process does not load what only work needs',
    {
      'src/robot/parts.ts': "import { run } from './run-robot.ts';",
      'src/robot/run-robot.ts': "import { eld } from 'eld/small';\nconst { Pool } = await import('undici');",
    },
    /src\/robot\/run-robot\.ts: eld\/small would be loaded with src\/robot\/parts\.ts/,
  ],
  [
    'a cycle of three files is found',
    {
      'src/engine/a.ts': "import { b } from './b.ts';",
      'src/engine/b.ts': "export { c } from './c.ts';",
      'src/engine/c.ts': "import './a.ts';",
    },
    /cycle: src\/engine\/a\.ts -> src\/engine\/b\.ts -> src\/engine\/c\.ts -> src\/engine\/a\.ts/,
  ],
];

for (const [claim, sources, expected] of refused) {
  test(claim, () => {
    const broken = brokenRules(new Map(Object.entries(sources)), {});
    assert.equal(broken.length, 1, broken.join('\n'));
    assert.match(broken[0] ?? '', expected);
  });
}

test('what is allowed is left alone', () => {
  const sources = {
    'src/engine/a.ts': "import type { B } from './b.ts';\nimport { sql, type Kysely } from 'kysely';",
    'src/engine/b.ts': "import { a } from './a.ts';\n// import { x } from '../cli/x.ts';",
    'src/engine/broker/sqlite.ts': "import { DatabaseSync } from 'node:sqlite';",
    'src/engine/a.test.ts':
      "import { DatabaseSync } from 'node:sqlite';\nimport { e } from './testing/e.ts';",
    'src/mail/smtp.ts': "import { a } from '../engine/a.ts';\nimport { t } from './templates.ts';",
    'src/houses.ts': "import { mail } from './mail/house.ts';",
    'src/mail/house.ts': '',
    'src/cli/main.ts': "import { open } from '../server/server.ts';\n// mail: '/mail/'",
  };
  assert.deepEqual(brokenRules(new Map(Object.entries(sources)), {}), []);
});

const planted: Record<string, Floors> = { engine: [['worker'], ['stage', 'request'], ['time', 'json']] };

const upwards: [claim: string, source: string, kind: string][] = [
  ['a value', "import { a } from '../worker/a.ts';", 'value'],
  ['a type', "import type { A } from '../worker/a.ts';", 'type'],
  ['a type among values of its own line', "import { type A } from '../worker/a.ts';", 'value'],
  ['a type named in place', "let a: import('../worker/a.ts').A;", 'dynamic'],
  ['a late import', "const { a } = await import('../worker/a.ts');", 'dynamic'],
  ['an export', "export { a } from '../worker/a.ts';", 'value'],
];
for (const [claim, source, kind] of upwards) {
  test(`imports point to the same floor or a lower one: ${claim}`, () => {
    const broken = brokenRules(new Map([['src/engine/stage/b.ts', source]]), planted);
    assert.deepEqual(broken, [
      `src/engine/stage/b.ts: imports src/engine/worker/a.ts (${kind}), but worker stands above stage; take what it needs as a parameter, or move it`,
    ]);
  });
}

test('folders on one floor do not import each other in a circle, not even types', () => {
  const sources = {
    'src/engine/stage/a.ts': "import { b } from '../request/b.ts';\nimport { t } from '../time/t.ts';",
    'src/engine/request/c.ts': "import type { D } from '../stage/d.ts';",
  };
  assert.deepEqual(brokenRules(new Map(Object.entries(sources)), planted), [
    'src/engine: stage -> request -> stage import each other in a circle on one floor',
  ]);
});

test('a new folder needs a floor; tests may stand anywhere', () => {
  const sources = {
    'src/engine/stage/a.ts': "import { b } from '../attic/b.ts';",
    'src/engine/stage/a.test.ts': "import { b } from '../worker/b.ts';",
  };
  assert.deepEqual(brokenRules(new Map(Object.entries(sources)), planted), [
    'src/engine/attic stands on no floor: give it one in scripts/floors.ts',
  ]);
});
