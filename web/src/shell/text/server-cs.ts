import type { ServerSentences } from '../../text/say.ts';

/** What the server says, by the code of the sentence. What is missing is shown in English. */
export const serverSentences: ServerSentences = {};
