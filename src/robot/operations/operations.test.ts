import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runServer } from '../../server/testing/running-server.ts';

const seeds = ['https://www.example.cz/'];
const contact = 'https://www.example.org/robot';

test('a user defines a crawl by its name, starts, pauses and deletes it', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'user');
  assert.equal((await server.call('robot.new', { name: 'Czech', seeds, contact }, anna)).status, 200);
  assert.equal((await server.call('robot.new', { name: 'Czech', seeds, contact }, anna)).status, 409);
  assert.equal((await server.call('robot.start', { crawl: 'Czech' }, anna)).status, 200);
  assert.equal((await server.call('robot.status', { crawl: 'Czech' }, anna)).body.state, 'running');
  const figures = /^pismak_robot_documents_total\{crawl="Czech",owner="anna"\} 0$/m;
  assert.match((await server.send('GET', '/metrics', anna)).text, figures);
  const bert = await server.signUp('bert', 'user');
  assert.doesNotMatch((await server.send('GET', '/metrics', bert)).text, /Czech/);
  const refused = await server.call('robot.delete', { crawl: 'Czech' }, anna);
  assert.match(refused.body.error.message, /stop it/);
  await server.call('robot.stop', { crawl: 'Czech' }, anna);
  assert.equal((await server.call('robot.delete', { crawl: 'Czech' }, anna)).status, 200);
  assert.deepEqual((await server.call('robot.ls', {}, anna)).body.crawls, []);
});

test('what could harm others is for administrators', async (t) => {
  const server = await runServer(t, { settings: { robot: { crawls: 1 } } });
  const anna = await server.signUp('anna', 'user');
  const options = [
    { allowPrivate: true },
    { resolve: { 'www.example.cz': ['10.0.0.1'] } },
    { reqDelay: 0 },
    { segmenter: 'http://10.0.0.1/' },
    { pageLimitMb: 51 },
    { maxHosts: 11 },
    { blockFor: 0 },
  ];
  for (const [index, option] of options.entries()) {
    const { status, body } = await server.call(
      'robot.new',
      { name: `n${index}`, seeds, contact, ...option },
      anna,
    );
    assert.equal(status, 403, JSON.stringify(body));
  }
  assert.equal((await server.call('robot.new', { name: 'first', seeds, contact }, anna)).status, 200);
  assert.equal((await server.call('robot.new', { name: 'second', seeds, contact }, anna)).status, 429);
});

test('what a crawl does not say comes from [robot] in the settings', async (t) => {
  const contact = 'https://www.example.org/robot';
  const server = await runServer(t, { settings: { robot: { depth: 3, contact, warc: false, maxReqs: 7 } } });
  const admin = await server.signUp('root', 'admin');
  const seeds = ['http://www.example.cz/'];
  await server.call('robot.new', { name: 'a', seeds, maxReqs: 100, depth: 0 }, admin);
  const { body } = await server.call('robot.options', { crawl: 'a' }, admin);
  assert.deepEqual([body.contact, body.warc, body.maxReqs, body.depth], [contact, false, 100, 0]);
});

test('a crawl that hides who crawls, or can fetch nothing, is refused', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'user');
  const refusal = async (input: object) =>
    (await server.call('robot.new', { name: 'x', seeds, contact, ...input }, anna)).body.error.message;
  assert.match(await refusal({ contact: '' }), /contact is missing/);
  assert.match(await refusal({ seeds: ['ftp://example.cz'] }), /not an http or https address/);
  assert.match(
    await refusal({ include: '\\.sk$' }),
    /skip every seed, such as .* \(host outside include and exclude\)/,
  );
  assert.match(await refusal({ text: false, warc: false }), /nothing would be kept/);
  assert.match(await refusal({ include: '(' }), /include is not a regular expression/);
});

test('the page about the robot tells administrators how to keep it out', async (t) => {
  const server = await runServer(t);
  const { status, text } = await server.send('GET', '/robot');
  assert.equal(status, 200);
  assert.match(text, /User-agent: PismakRobot\nDisallow: \//);
  assert.match(text, /Nechcete-li ho/);
});

test('the crawls of a user who is deleted stop, and administrators keep what they have stored', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'user');
  const admin = await server.signUp('root', 'admin');
  const { body } = await server.call('robot.new', { name: 'Czech', seeds, contact }, anna);
  await server.call('robot.start', { crawl: 'Czech' }, anna);
  assert.equal((await server.call('user.delete', { name: 'anna' }, admin)).status, 200);
  const { statistics: _, ...crawl } = (await server.call('robot.status', { crawl: body.id }, admin)).body;
  assert.deepEqual([crawl.owner, crawl.state], ['anna', 'stopped']);
});
