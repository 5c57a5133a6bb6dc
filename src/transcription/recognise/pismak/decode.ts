/** A letter that the network has read. */
export interface ReadLetter {
  text: string;
  /** Columns of the network's answer: the first, and the one after the last. */
  start: number;
  end: number;
  /** From 0 to 1. */
  confidence: number;
}

export interface Answer {
  /** Logarithms of probabilities, class by class for each column. */
  data: Float32Array;
  columns: number;
  classes: number;
}

/**
 * The likeliest class of each column, repeats joined and blanks (class 0) left out. A letter is as sure as the network is in
 * its surest column.
 */
export function decode({ data, columns, classes }: Answer, letters: readonly string[]): ReadLetter[] {
  const read: ReadLetter[] = [];
  let before = 0;
  for (let column = 0; column < columns; column++) {
    const from = column * classes;
    let best = 0;
    for (let one = 1; one < classes; one++)
      if ((data[from + one] as number) > (data[from + best] as number)) best = one;
    const confidence = Math.min(1, Math.exp(data[from + best] as number));
    const last = read.at(-1);
    if (best !== 0 && best === before && last) {
      last.end = column + 1;
      last.confidence = Math.max(last.confidence, confidence);
    } else if (best !== 0)
      read.push({ text: letters[best] ?? '', start: column, end: column + 1, confidence });
    before = best;
  }
  return read;
}
