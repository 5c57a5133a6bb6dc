const longestAnswer = 500;

/**
 * Cleans an answer for storage. PostgreSQL refuses NUL and lone surrogates, and one of them would fail the whole batch of
 * results.
 */
export function answerText(answer: string): string {
  return answer
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, longestAnswer)
    .toWellFormed();
}

/** Removes addresses, which servers often quote in other spellings. */
export function withoutAddresses(answer: string): string {
  return answer.replaceAll(/[^\s<>()[\],;:"]+/g, (word) =>
    word.slice(1, -1).includes('@') ? 'ADDRESS' : word,
  );
}
