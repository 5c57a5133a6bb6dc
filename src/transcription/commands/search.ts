import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { searchText } from '../operations/search.ts';

const add: AddGroup = (group, shell) => {
  group.addHelpText('after', '\nAccents and case don’t matter: `prilis` finds `Příliš`.');
  operationCommands(group, shell)(searchText, {
    usage: '<words...>',
    examples: ['search prilis zlutouc* --document ID'],
    columns: (_, { places }) => [
      { title: 'document', of: (hit) => hit.document },
      { title: 'name', of: (hit) => hit.name },
      { title: 'page', of: (hit) => hit.page },
      { title: 'text', of: (hit) => hit.snippet },
      ...(places
        ? [
            {
              title: 'places',
              of: (hit: { places?: { text: string; box: { left: number; top: number } }[] | undefined }) =>
                hit.places?.map(({ text, box }) => `${text} ${box.left},${box.top}`).join('; '),
            },
          ]
        : []),
    ],
    empty: 'nothing found',
  });
};
export default add;
