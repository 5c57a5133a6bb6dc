import assert from 'node:assert/strict';
import type { MakeOwnedThing } from '../../server/testing/owned-things.ts';

const makeCrawl: MakeOwnedThing = async (server, owner, tag) => {
  const { body } = await server.call('robot.new', definition(tag), owner);
  return { input: { crawl: body.id } };
};

function definition(tag: string) {
  return {
    name: `crawl${tag}`,
    seeds: ['https://www.example.cz/'],
    contact: 'https://www.example.org/robot',
  };
}

const withMore =
  (more: object, make = makeCrawl): MakeOwnedThing =>
  async (server, owner, tag) => {
    const { input } = await make(server, owner, tag);
    return { input: { ...input, ...more } };
  };

const made =
  (...verbs: string[]): MakeOwnedThing =>
  async (server, owner, tag) => {
    const { input } = await makeCrawl(server, owner, tag);
    for (const verb of verbs) await server.call(`robot.${verb}`, input, owner);
    return { input };
  };

/** For every operation of this house whose things belong to somebody: how to make one. */
export const ownedThings: Record<string, MakeOwnedThing> = {
  'robot.new': async (_, __, tag) => ({ input: definition(tag) }),
  'robot.ls': async (server, owner, tag) => {
    const { input } = await makeCrawl(server, owner, tag);
    const { crawl } = input as { crawl: string };
    const lists = (answer: { body: { crawls: { id: string }[] } }) =>
      answer.body.crawls.some(({ id }) => id === crawl);
    return {
      input: {},
      foreign: (answer) => assert.ok(!lists(answer), 'crawls of others are not listed'),
      own: (answer) => assert.ok(lists(answer)),
    };
  },
  'robot.status': makeCrawl,
  'robot.options': makeCrawl,
  'robot.start': makeCrawl,
  'robot.pause': made('start'),
  'robot.resume': made('start', 'pause'),
  'robot.stop': made('start'),
  'robot.revisit': makeCrawl,
  'robot.delete': makeCrawl,
  'robot.hosts': makeCrawl,
  'robot.explain': withMore({ url: 'https://www.example.cz/' }),
  'robot.disallowed': makeCrawl,
  'robot.segments': makeCrawl,
  'robot.release': withMore({ through: 1 }),
};
