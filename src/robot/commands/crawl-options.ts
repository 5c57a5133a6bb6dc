import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type Command, InvalidArgumentError } from 'commander';
import { PismakError } from '../../engine/errors.ts';
import { inputFields, optionsOf, readField } from '../../terminal/options/input-field.ts';
import { crawlOptions } from '../crawl/options.ts';

export const resolveHelp = 'file of host addresses to use instead of the DNS; lines `address host...`';

/** Their defaults are those of `[robot]` in pismak.toml; the help shows the built-in ones. */
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

/** What was said of them, as input of `robot.new`. */
export async function readCrawlOptions(options: Record<string, unknown>): Promise<Record<string, unknown>> {
  const said: Record<string, unknown> = {};
  for (const { name } of crawlFields) if (options[name] !== undefined) said[name] = options[name];
  if (typeof options.resolve === 'string') said.resolve = await readResolve(options.resolve);
  return said;
}

/** Seeds: addresses, or files with one a line; `#` begins a comment. */
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

/** Addresses of hosts: lines `address host...`, as in /etc/hosts. */
export async function readResolve(file: string): Promise<Record<string, string[]>> {
  const hosts: Record<string, string[]> = {};
  for (const line of await readLines(file, 'give a file with lines `address host...`')) {
    const [address = '', ...names] = line.split(/\s+/);
    if (!isIP(address))
      throw new PismakError(
        'invalid-input',
        `${file}: ${address} is not an IP address; lines are \`address host...\``,
      );
    for (const written of names) {
      // As hosts are in addresses of pages: in lower case, and without letters that the DNS does not know.
      const name = URL.parse(`http://${written}/`)?.hostname.replace(/\.$/, '') ?? written;
      hosts[name] ??= [];
      hosts[name].push(address);
    }
  }
  return hosts;
}

async function readLines(file: string, advice: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new PismakError('invalid-input', `${file} can't be read: ${advice}`, { cause });
  });
  return text
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

/** `auto` or a number. */
export function readHarvesters(text: string): number {
  if (text === 'auto') return 0;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 256)
    throw new InvalidArgumentError('Give a number from 1 to 256, or auto.');
  return number;
}
