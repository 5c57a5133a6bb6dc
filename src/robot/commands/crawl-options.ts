import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type Command, InvalidArgumentError } from 'commander';
import { PismakError } from '../../engine/ground/errors.ts';
import type { LoadedSettings } from '../../engine/settings/load.ts';
import { inputFields, optionsOf, readField } from '../../terminal/options/input-field.ts';
import { crawlOptions } from '../crawl/options.ts';

export const resolveHelp = 'file of host addresses to use instead of the DNS; lines `address host...`';

/** Defaults come from `[robot]` in pismak.toml; the help shows the built-in ones. */
export const crawlFields = inputFields(crawlOptions, { areAdjustable: true });

/** Options of a crawl as the command line gives them. */
export function addCrawlOptions(command: Command): Command {
  for (const field of crawlFields)
    for (const option of optionsOf(field))
      command.addOption(
        option.isBoolean() || option.negate ? option : option.argParser((text) => readField(field, text)),
      );
  return command.option('--resolve <file>', resolveHelp);
}

/** Options that pismak.toml or another source of settings gives. */
export function optionsInSettings({ settings, origins }: LoadedSettings): Record<string, unknown> {
  const { robot } = settings as unknown as { robot: Record<string, unknown> };
  return Object.fromEntries(
    crawlFields.flatMap(({ name }) =>
      origins.get(`robot.${name}`) === 'default' ? [] : [[name, robot[name]]],
    ),
  );
}

/** The options that were given, as input of `robot.new`. */
export async function readCrawlOptions(options: Record<string, unknown>): Promise<Record<string, unknown>> {
  const said: Record<string, unknown> = {};
  for (const { name } of crawlFields) if (options[name] !== undefined) said[name] = options[name];
  if (typeof options.resolve === 'string') said.resolve = await readResolve(options.resolve);
  return said;
}

/** Reads seeds: URLs, or files with one per line; `#` starts a comment. */
export async function readSeeds(words: readonly string[]): Promise<string[]> {
  const seeds: string[] = [];
  for (const word of words) {
    if (/^https?:\/\//i.test(word)) seeds.push(word);
    else
      for (const line of await readLines(word, 'give addresses (https://...) or a file with them'))
        seeds.push(...line.split(/\s+/));
  }
  if (seeds.length === 0)
    throw new PismakError('invalid-input', `there is no address in ${words.join(', ')}`);
  return seeds;
}

/** Reads the addresses of hosts: lines `address host...`, as in /etc/hosts. */
export async function readResolve(file: string): Promise<Record<string, string[]>> {
  const hosts = new Map<string, string[]>();
  for (const line of await readLines(file, 'give a file with lines `address host...`')) {
    const [address = '', ...names] = line.split(/\s+/);
    if (!isIP(address) || names.length === 0)
      throw new PismakError('invalid-input', `${file}: \`${line}\` is not of the form \`address host...\``);
    for (const name of names) {
      const host = URL.parse(`http://${name}/`)?.hostname.replace(/\.$/, '') ?? name;
      hosts.set(host, [...(hosts.get(host) ?? []), address]);
    }
  }
  return Object.fromEntries(hosts);
}

async function readLines(file: string, advice: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new PismakError('invalid-input', `${file} can't be read: ${advice}`, { cause });
  });
  return text
    .split('\n')
    .map((line) => withoutComment(line).trim())
    .filter((line) => line !== '');
}

/** A `#` at the beginning or behind a space; other ones are part of a URL. */
function withoutComment(line: string): string {
  const at = line.search(/(?:^|\s)#/);
  return at < 0 ? line : line.slice(0, at);
}

/** `auto` (or 0, as in the settings), or a number. */
export function readHarvesters(text: string): number {
  if (text === 'auto' || text === '0') return 0;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 256)
    throw new InvalidArgumentError('Give a number from 1 to 256, or auto.');
  return number;
}
