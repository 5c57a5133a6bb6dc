import { collect } from './collect.ts';
import { safe, type Verdicts } from './verdicts.ts';

/** Everything that is wrong with the expressions of the sources (by path), one sentence each. */
export function brokenExpressions(sources: ReadonlyMap<string, string>, verdicts: Verdicts): string[] {
  return [...sources].flatMap(([file, source]) => {
    const { expressions, loose } = collect(file, source);
    const byLine = Map.groupBy(expressions, ({ line }) => line);
    const stale = [...byLine.values()].filter((those) =>
      those.every(
        ({ text, isBuilt, reason }) => reason !== undefined && !isBuilt && verdicts.get(text) === safe,
      ),
    );
    return [
      ...expressions.flatMap(({ line, text, isBuilt, reason }) => {
        if (reason !== undefined) return [];
        if (isBuilt)
          return `${file}:${line}: ${text} can't be checked: write a literal, or the reason beside it: // linear: ...`;
        const verdict = verdicts.get(text) ?? 'not judged';
        return verdict === safe ? [] : `${file}:${line}: ${text} is not linear (${verdict})`;
      }),
      ...stale.map(([one]) => `${file}:${one?.line}: ${one?.text} is linear: remove the comment // linear:`),
      ...loose.map(({ line }) => `${file}:${line}: the comment // linear: is beside no expression`),
    ];
  });
}
