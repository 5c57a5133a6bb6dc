import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedPostgres } from '../../src/engine/testing/servers/shared.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { partBytes } from '../../src/terminal/client/upload-file.ts';
import { carryStageFile, sentOnlyWhatWasMissing } from './carry-stage-file.ts';

test('a large file of a stage reaches two workers through a killed command and a change, and only what is missing travels', {
  timeout: 400_000,
}, async (t) => {
  const postgres = await sharedPostgres();
  t.after(() => postgres.close());
  const figures = await carryStageFile({
    directory: await temporaryDirectory(t),
    postgres,
    size: 3 * partBytes + 1000,
    loadsBefore: false,
    say: (line) => t.diagnostic(line),
  });
  assert.ok(sentOnlyWhatWasMissing(figures, partBytes), JSON.stringify(figures.sent));
  for (const { process, mostMb } of figures.peaks.filter((peak) => peak.process.startsWith('pismak')))
    assert.ok(mostMb <= 300, `${process}: ${mostMb} MB`);
});
