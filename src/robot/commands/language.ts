import type { Command } from 'commander';
import type { Shell } from '../../terminal/shell.ts';
import { readInput } from './read-input.ts';

/** `pismak robot language`: what language a text is in. */
export function addLanguage(group: Command, shell: Shell): void {
  shell
    .command(
      group,
      'language <file>',
      'Print the language of a text (ISO 639-1) and a confidence from 0 to 1',
      'robot language letter.txt',
      'robot language --lines - < sentences.txt',
    )
    .option('--lines', 'judge each line separately')
    .action(
      shell.run<{ lines?: boolean }>(async ({ options, out }, path = '') => {
        const [{ detectLanguage }, { decodePage }] = await Promise.all([
          import('../text/language/language.ts'),
          import('../text/html/charset.ts'),
        ]);
        const { text } = decodePage(await readInput(path));
        const parts = options.lines === true ? text.replace(/\r?\n$/, '').split(/\r?\n/) : [text];
        const found = parts.map(detectLanguage);
        if (out.json) out.object(options.lines === true ? found : (found[0] ?? {}));
        else for (const { language, score } of found) out.say(`${language || '-'} ${score.toFixed(3)}`);
      }),
    );
}
