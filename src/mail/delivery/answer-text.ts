const longestAnswer = 500;

/**
 * What a server or a file said, as every database takes it: PostgreSQL refuses zero characters and halves of characters, and with
 * them the answers to all mails that are stored together.
 */
export function answerText(answer: string): string {
  return answer
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, longestAnswer)
    .toWellFormed();
}

/** Servers like to repeat addresses, in any spelling. */
export function withoutAddresses(answer: string): string {
  return answer.replaceAll(/[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+/g, 'ADDRESS');
}
