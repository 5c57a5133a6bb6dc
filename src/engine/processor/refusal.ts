/**
 * A process wanted what no processor of ours wants: the bytes of others, or its output to be something else than a file. It has been taken
 * over, and ends.
 */
export class Refusal extends Error {
  override name = 'Refusal';
}
