import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Report } from '../../engine/simulation/report.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { runCommand } from '../testing/run-command.ts';

const example = new URL('../../../examples/workload.toml', import.meta.url).pathname;

async function reported(...words: string[]): Promise<Report> {
  const { code, stdout, stderr } = await runCommand(['simulate', '--json', ...words]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test('pismak simulate shows a table, and which worker served which stage when', async () => {
  const { code, stdout } = await runCommand(['simulate', '--policy', 'parametric']);
  assert.equal(code, 0);
  for (const row of ['time in the system: mean', '95 %', 'reference: mean', 'waiting for stage2', 'makespan'])
    assert.match(stdout, new RegExp(`^${row} +\\d+\\.\\d s$`, 'm'));
  assert.match(stdout, /^worker2 +│[ABC/-]+│$/m);
  assert.match(stdout, /^C stage3 │.+│ \d+$/m);
});

test('pismak simulate --json gives the figures in seconds', async () => {
  const figures = await reported('--seed', '3');
  const { policy, workload, seed, seeds, requests, finished } = figures;
  assert.deepEqual(
    { policy, workload, seed, seeds, requests, finished },
    { policy: 'flow', workload: 'seed', seed: 3, seeds: 1, requests: 150, finished: 150 },
  );
  assert.ok(figures.referenceMean < figures.meanTimeInSystem);
  assert.ok(figures.medianTimeInSystem < figures.p95TimeInSystem);
  assert.ok(figures.p95TimeInSystem <= figures.maxTimeInSystem);
  assert.ok(figures.maxTimeInSystem < figures.makespan);
  assert.deepEqual(Object.keys(figures.waiting), ['stage1', 'stage2', 'stage3']);
  assert.deepEqual(await reported('--seed', '3'), figures);
});

test('figures of several seeds are their means', async () => {
  const [two, three, both] = [
    await reported('--seed', '2'),
    await reported('--seed', '3'),
    await reported('--seed', '2', '--seeds', '2'),
  ];
  assert.equal(both.meanTimeInSystem, (two.meanTimeInSystem + three.meanTimeInSystem) / 2);
  assert.equal(both.seeds, 2);
});

test('a cheap switch to what was loaded before pays', async () => {
  assert.ok((await reported('--warm', '0.2')).meanTimeInSystem < (await reported()).meanTimeInSystem);
});

test('priorities are given to the stages in their order', async () => {
  const first = await reported('--policy', 'parametric', '--priorities', '20,0,0');
  const last = await reported('--policy', 'parametric', '--priorities', '0,10,20');
  assert.ok((first.waiting.stage3 ?? 0) > (last.waiting.stage3 ?? 0));
});

test('with --policy all the policies stand side by side', async () => {
  const { stdout } = await runCommand(['simulate', '--policy', 'all']);
  assert.match(stdout, /FLOW +PARAMETRIC/);
  const { stdout: json } = await runCommand(['simulate', '--policy', 'all', '--json']);
  assert.deepEqual(
    JSON.parse(json).map((each: Report) => each.policy),
    ['flow', 'parametric'],
  );
});

test('the example of a workload file runs to its end', async () => {
  const { workload, requests, finished } = await reported('--workload', example);
  assert.deepEqual(
    { workload, requests, finished },
    { workload: 'workload', requests: 1600, finished: 1600 },
  );
});

test('pismak simulate --svg draws the run', async (t) => {
  const file = join(await temporaryDirectory(t), 'run.svg');
  const { code, stdout } = await runCommand(['simulate', '--svg', file]);
  assert.equal(code, 0);
  assert.match(stdout, /drawn to .*run\.svg/);
  assert.match(await readFile(file, 'utf8'), /^<svg .*Policy flow, workload seed.*<\/svg>\n$/s);
});

test('work that priority -1 leaves undone ends the simulation and is reported', async () => {
  const { code, stdout } = await runCommand(['simulate', '--priorities', '0,-1']);
  assert.equal(code, 0);
  assert.match(stdout, /^requests finished +0 of 150$/m);
  assert.match(stdout, /exclude unfinished requests/);
});

test('errors name the file and the valid choices', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = async (name: string, content: string) => {
    await writeFile(join(directory, name), content);
    return join(directory, name);
  };
  const cases: [string[], RegExp][] = [
    [['--policy', 'magic'], /no policy magic; choose one of flow, parametric, or all/],
    [['--workload', 'nowhere'], /no workload nowhere.*seed, bursty/],
    [['--workload', await file('a.toml', 'name = "x"\nstages = [')], /a\.toml:2: this is not TOML/],
    [['--workload', await file('a.json', '{')], /a\.json: this is not JSON/],
    [['--workload', await file('b.json', '{}')], /b\.json: stages: .*; workers: .*arrivals/],
    [['--priorities', '0,0,0,0'], /has 4 numbers, but the workload has only 3 stages/],
    [['--priorities', '-2'], /must be -1/],
    [['--priorities', 'high'], /it must be a number/],
    [['--warm', '-1'], /--warm must be 0 or more/],
    [['--seeds', '0'], /--seeds must be 1 or more/],
    [['--policy', 'all', '--svg', 'x.svg'], /--svg draws one policy/],
    [['--svg', join(directory, 'no', 'x.svg')], /can't be written/],
  ];
  for (const [words, said] of cases) {
    const { code, stderr } = await runCommand(['simulate', ...words]);
    assert.notEqual(code, 0, words.join(' '));
    assert.match(stderr, said);
  }
});
