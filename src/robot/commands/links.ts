import type { Command } from 'commander';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Shell } from '../../terminal/shell.ts';
import { readInput } from './read-input.ts';

/** `pismak robot links`: where a page leads. */
export function addLinks(group: Command, shell: Shell): void {
  shell
    .command(
      group,
      'links <file>',
      'Print the links of a page as the robot would queue them, one per line',
      'robot links page.html --base https://example.org/news/',
    )
    .requiredOption('--base <url>', 'the address of the page')
    .action(
      shell.run<{ base: string }>(async ({ options, out }, path = '') => {
        if (!URL.canParse(options.base))
          throw new PismakError('invalid-input', `--base ${options.base} is no URL; write it with https://`);
        const { cleanHtml } = await import('../text/html/clean-html.ts');
        const { links } = cleanHtml(await readInput(path), { url: options.base });
        if (out.json) out.object(links);
        else for (const { url, nofollow } of links) out.text(nofollow ? `${url}\tnofollow` : url);
      }),
    );
}
