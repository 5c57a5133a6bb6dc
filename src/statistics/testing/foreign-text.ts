import type { ForeignText } from '../../engine/testing/foreign-reader.ts';
import { parseDay, parseMonth } from '../calendar/days.ts';
import { zoneDays } from '../calendar/zone-days.ts';
import { BatchBuilder } from '../ingest/batch-builder.ts';
import { addContent } from '../ingest/lines.ts';
import { parseMoment } from '../ingest/parse-moment.ts';
import { parseFilter } from '../query/filter.ts';
import { loadSchemas } from '../schema/schemas.ts';

const dayTokens = ['2026-', '03', '-', '0', 'T', 'Z', '+01:00', ':', '.'];

const schemas = loadSchemas();
const days = zoneDays('Europe/Prague');

function ingest(text: string, format: 'csv' | 'ndjson'): Promise<void> {
  const builder = new BatchBuilder({
    schemas,
    days,
    latest: Date.UTC(2026, 3, 1),
    level: 'event',
    mayWrite: () => true,
    sealedBefore: 0,
    sealed: () => false,
    closed: new Set(),
  });
  return addContent(builder, { text, format });
}

export const foreignText: ForeignText = {
  readers: {
    'calendar/days.ts parseDay': { read: parseDay, samples: ['2026-03-29…'], tokens: dayTokens },
    'calendar/days.ts parseMonth': { read: parseMonth, samples: ['2026-03…'], tokens: dayTokens },
    'ingest/parse-moment.ts parseMoment': {
      read: (text) => parseMoment(text),
      samples: ['2026-03-29T01:59:00…Z'],
      tokens: dayTokens,
    },
    'ingest/lines.ts addContent': {
      read: async (text) => {
        await ingest(text, 'csv');
        await ingest(text, 'ndjson');
      },
      samples: [],
      tokens: ['\n', ',', '"', 'kind,entity,', '{"kind":"a"}\n', '{"a":', '{}\n', '[', '\\', '1'],
      limit: [16 << 20, 'the limit on a batch'],
    },
    'query/filter.ts parseFilter': {
      read: parseFilter,
      samples: ['cost < 5000…', 'clicks between 5 and …10', 'status in a,…b', 'name …contains shoes'],
      tokens: ['<', '=', ',', ' and ', ' in ', ' between ', ' , ', 'a', '-', '1', '.'],
      limit: [4096, 'it stands in one option of a command'],
    },
  },
  excused: {
    'columns/block.ts decodeBlock': 'blocks that we encoded',
    'commands/question-options.ts readQuestion': 'options of a command',
    'cube/snapshot.ts splitByPlace': 'our own readings',
    'query/grouped-series.ts readGroupedSeries': 'our own sums',
    'query/hours.ts readGroupedHours': 'our own sums',
    'query/hours.ts readHours': 'our own sums',
    'query/series.ts readSeries': 'our own sums',
    'query/table.ts readTable': 'our own sums',
    'store/clickhouse/encode-units.ts readRows': 'rows that we wrote',
    'store/clickhouse/parse-url.ts parseClickHouseUrl': 'a setting',
    'store/far-units.ts parseOutline': 'outlines that we wrote',
  },
};
