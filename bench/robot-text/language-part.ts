import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { detectLanguage } from '../../src/robot/text/index.ts';

export interface LanguageFigure {
  language: string;
  lines: number;
  right: number;
  /** What the others were taken for. */
  wrong: Record<string, number>;
}

/** How many lines of each file (`cs.txt`, `sk.txt`...) are recognised. */
export function measureLanguages(directory: string): LanguageFigure[] {
  const files = readdirSync(directory).filter((file) => /^[a-z]{2}\.txt$/.test(file));
  return files.map((file) => {
    const language = file.slice(0, 2);
    const lines = readFileSync(join(directory, file), 'utf8').trim().split('\n');
    const wrong: Record<string, number> = {};
    let right = 0;
    for (const line of lines) {
      const found = detectLanguage(line).language;
      if (found === language) right += 1;
      else wrong[found] = (wrong[found] ?? 0) + 1;
    }
    return { language, lines: lines.length, right, wrong };
  });
}
