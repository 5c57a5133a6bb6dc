/** What the text says if it is JSON, else `otherwise`: undefined, which no JSON says, unless told. */
export function parseJson(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
