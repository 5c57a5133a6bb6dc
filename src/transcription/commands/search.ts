import { InvalidArgumentError } from 'commander';
import { PismakError } from '../../engine/errors.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { wholeNumber } from '../../terminal/options/option-values.ts';

interface Options {
  document?: string;
  places?: boolean;
  limit: number;
}

interface Hit {
  document: string;
  name: string;
  page: number;
  pageName: string;
  snippet: string;
  places?: { text: string; box: { left: number; top: number; width: number; height: number } }[];
}

const add: AddGroup = (group, { run }) => {
  group
    .argument('<words...>', 'all must be there; "words in quotes" stand together, word* goes on')
    .option('--document <id>', 'only in this document')
    .option('--places', 'also where on the page the words stand, in pixels')
    .option('--limit <number>', 'how many hits at most, up to 200', hitCount, 20)
    .addHelpText(
      'after',
      '\nAccents and case don’t matter: `prilis` finds `Příliš`.\n\n' +
        'Examples:\n  $ pismak search prilis zlutouc*\n  $ pismak search \'"František Josef" praž*\' --document ID',
    )
    .action(
      run<Options, [string[]]>(async ({ client, out, options }, words) => {
        const { document, places = false, limit } = options;
        if (words.every((word) => word.trim() === ''))
          throw new PismakError('invalid-input', 'name at least one word to search for');
        const query = { words: words.join(' '), document, places, limit };
        const { hits } = await (await client()).call<{ hits: Hit[] }>('search.text', query);
        const columns = [
          { title: 'document', of: (hit: Hit) => hit.document },
          { title: 'name', of: (hit: Hit) => hit.name },
          { title: 'page', of: (hit: Hit) => hit.page },
          { title: 'text', of: (hit: Hit) => hit.snippet },
        ];
        const where = {
          title: 'places',
          of: ({ places = [] }: Hit) =>
            places.map(({ text, box }) => `${text} ${box.left},${box.top}`).join('; '),
        };
        out.list(hits, places ? [...columns, where] : columns, 'nothing found');
      }),
    );
};
export default add;

function hitCount(text: string): number {
  const count = wholeNumber(text);
  if (count < 1 || count > 200) throw new InvalidArgumentError('it must be a number from 1 to 200.');
  return count;
}
