import type { ForeignText } from '../../engine/testing/foreign-reader.ts';
import { hostOf } from '../http/accepted-hosts.ts';
import { checkJsonShape } from '../http/json-shape.ts';
import { parseLargeJson } from '../http/large-json.ts';
import { inputFromQuery } from '../routes/query-input.ts';

const jsonTokens = ['{', '}', '[', ']', '"', '\\"', '\\\\', ',', ':', '{"a":', '"a",', '0,'];

export const foreignText: ForeignText = {
  readers: {
    'http/large-json.ts parseLargeJson': {
      read: (text) => parseLargeJson(Buffer.from(text), JSON.parse),
      samples: ['["…"]', '{"a":"…"}', '{"a":["…"]}'],
      tokens: jsonTokens,
    },
    'http/json-shape.ts checkJsonShape': {
      read: (text) => checkJsonShape(Buffer.from(text), 1e9),
      samples: ['["…"]'],
      tokens: jsonTokens,
    },
    'http/accepted-hosts.ts hostOf': {
      read: hostOf,
      samples: ['example.org…:80', '[::1…]:80'],
      tokens: ['a.', ':', '[', ']', '0', '%'],
      limit: [16_384, 'Node refuses longer headers'],
    },
    'routes/query-input.ts inputFromQuery': {
      read: (text) =>
        inputFromQuery(
          { properties: { a: { type: 'array', items: { type: 'number' } }, b: { type: 'object' } } },
          Object.fromEntries(new URLSearchParams(text)),
        ),
      samples: ['a=1&b={"c":…1}', 'a=[…]'],
      tokens: ['&', '=', 'a=1&', '%5B', '[', '{', ','],
      limit: [16_384, 'Node refuses longer addresses'],
    },
  },
  excused: {
    'access/secret-token.ts tokenMatches': 'hashes a token',
    'http/json-body.ts parseJsonBodies':
      'registers the reader of bodies; checkJsonShape and parseLargeJson do the work',
  },
};
