/** The value of a JSON text, or `otherwise` if it is not JSON. The default, undefined, is never a JSON value. */
export function parseJson(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
