/** What the measuring must find, and what it must leave alone. */
import type { ForeignText } from '../../src/engine/testing/foreign-reader.ts';

export const foreignText: ForeignText = {
  readers: {
    // Each `<` searches the rest of the text for an end that is not there.
    quadratic: {
      read(text) {
        let ends = 0;
        for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1))
          ends += text.indexOf('>', at);
        return ends;
      },
      samples: [],
      tokens: ['<'],
    },
    exponential: { read: (text) => /^(a+)+$/.test(text), samples: [], tokens: ['ab'] },
    linear: { read: (text) => text.split('<').join('>'), samples: ['a<b'], tokens: ['<'] },
  },
  excused: {},
};
