/** A text of the server that programs can say in another language. Its meaning never changes. */
export interface Sentence {
  code: string;
  parameters: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
}

/** One language's sentences of the server, by code. English needs none: the server says them in English itself. */
// biome-ignore lint/suspicious/noExplicitAny: each code has parameters of its own
export type ServerSentences = Readonly<Record<string, (parameters: any) => string>>;

/** A text of the server in the person's language; as it is if nobody has translated it. */
export function sayIn(
  sentences: ServerSentences,
  { message, sentence }: { message: string; sentence?: Sentence | null | undefined },
): string {
  if (!sentence || !Object.hasOwn(sentences, sentence.code)) return message;
  return sentences[sentence.code]?.(sentence.parameters) ?? message;
}
