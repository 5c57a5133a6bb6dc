/** Chance that can be repeated. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The bytes with up to eight places changed, cut out, doubled, or filled with one of the words. */
export function mutate(bytes: Buffer, words: readonly string[], random: (below: number) => number): Buffer {
  let result = bytes;
  for (let left = 1 + random(8); left > 0; left -= 1) {
    const at = random(result.length + 1);
    const to = Math.min(result.length, at + random(random(4) === 0 ? 2000 : 20));
    const before = result.subarray(0, at);
    const word = Buffer.from(words[random(words.length)] ?? '');
    switch (random(6)) {
      case 0:
        result = Buffer.concat([before, Buffer.from([random(256)]), result.subarray(at + 1)]);
        break;
      case 1:
        result = Buffer.concat([before, result.subarray(to)]);
        break;
      case 2:
        result = Buffer.concat([before, result.subarray(at, to), result.subarray(at)]);
        break;
      case 3:
      case 4:
        result = Buffer.concat([before, word, result.subarray(at)]);
        break;
      default:
        result = Buffer.from(result.subarray(0, Math.max(1, at)));
    }
  }
  return result;
}
