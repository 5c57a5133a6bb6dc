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
    linear: {
      read(text) {
        let openings = 0;
        for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === 60) openings += at;
        return openings;
      },
      samples: [],
      tokens: ['<'],
    },
    // Linear too, with 48 bytes of memory for each bracket until it returns.
    'linear, with much memory': { read: (text) => JSON.parse(text), samples: [], tokens: ['['] },
  },
  excused: {},
};
