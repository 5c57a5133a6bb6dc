import { readTar } from '../backup/tar.ts';
import { readNotice } from '../broker/postgres/notices.ts';
import { checkPath } from '../coordination/path.ts';
import { isPlainPath, safeFileName, safePath } from '../files/safe-names.ts';
import { parseJson } from '../ground/json.ts';
import { nearestName } from '../ground/nearest-name.ts';
import { shorten } from '../ground/shorten.ts';
import { maskSecrets } from '../log/mask-secrets.ts';
import { networkOf } from '../network/network-of.ts';
import { maskInput } from '../operation/mask-input.ts';
import { checkAllowed } from '../processor/command/allowed-programs.ts';
import { parseCommandConfig, splitConfig } from '../processor/command/command-config.ts';
import { parseDummyConfig } from '../processor/dummy-config.ts';
import { decodeRequest } from '../request/request.ts';
import { splitName } from '../stage/owned-name.ts';
import { number, parseStageConfig, words } from '../stage/stage-config.ts';
import { readConfigLines } from '../stage/stage-config-lines.ts';
import { checkUrl, isPublic } from '../webhook/address-guard.ts';
import { drain, type ForeignText, inPieces, latin1 } from './foreign-reader.ts';

const configTokens = ['\n', ' ', '#', ' #', ';', '=', '"', "'", '[', ']', 'KEY = ', '---\n'];
const configLimit = [400_000, 'the limit on a stage’s configuration'] as const;
const nameTokens = ['.', '/', '..', '\\', ' ', '\u200b', 'e\u0301', 'con'];
const nameLimit = [
  1_000_000,
  'names arrive in messages and archives, which have limits of their own',
] as const;

export const foreignText: ForeignText = {
  readers: {
    'backup/tar.ts readTar': {
      read: async (text) => {
        for await (const { content } of readTar(inPieces(text))) await drain(content);
      },
      samples: ['\0'.repeat(1024)],
      tokens: ['\0', 'ustar', '0000000\0'],
    },
    'broker/postgres/notices.ts readNotice': {
      read: readNotice,
      samples: ['hocr…'],
      tokens: ['h', 'n'],
      limit: [8000, 'PostgreSQL’s limit on a notice'],
    },
    'coordination/path.ts checkPath': { read: checkPath, samples: ['/a…'], tokens: ['/', '/a', '.', '..'] },
    'files/safe-names.ts safeFileName': {
      read: safeFileName,
      samples: ['a…b.txt'],
      tokens: nameTokens,
      limit: nameLimit,
    },
    'files/safe-names.ts safePath': {
      read: safePath,
      samples: ['a/…/b.txt'],
      tokens: nameTokens,
      limit: nameLimit,
    },
    'files/safe-names.ts isPlainPath': {
      read: isPlainPath,
      samples: ['a…'],
      tokens: nameTokens,
      limit: nameLimit,
    },
    'ground/json.ts parseJson': {
      read: (text) => parseJson(text),
      samples: ['["…"]'],
      tokens: ['[', '{', '"', '\\', ',', '{"a":'],
    },
    'ground/nearest-name.ts nearestName': {
      read: (text) => nearestName(text, ['deskew', 'orientation']),
      samples: ['deskw…'],
      tokens: ['d', 'deskew'],
    },
    'ground/shorten.ts shorten': {
      read: (text) => shorten(text),
      samples: ['a…'],
      tokens: ['a', '\n', '😀'],
    },
    'log/mask-secrets.ts maskSecrets': {
      read: maskSecrets,
      samples: ['https://a:…@example.org/?token=1', 'http://h/?a…=b'],
      tokens: ['//', ':', '@', '?', '&', '=', 'token', 'http://', '/', '-', ';'],
    },
    'network/network-of.ts networkOf': {
      read: networkOf,
      samples: ['::ffff:1.2.3.4', '2001:db8::%…'],
      tokens: [':', '::', '1.', '%', 'f'],
      limit: [16_384, 'Node refuses longer headers'],
    },
    'operation/mask-input.ts maskInput': {
      read: (text) => maskInput({ a: text, [text]: text.split(',') }),
      samples: ['a…'],
      tokens: ['//', ':', '@', ',', 'token='],
    },
    'processor/command/allowed-programs.ts checkAllowed': {
      read: (text) => checkAllowed(text, ['/bin/*', '/usr/*/bin/*-a*']),
      samples: ['/bin/true …'],
      tokens: ['/', ' ', '"$PISMAK_', '"', '-', 'a', '/usr/a/bin/-'],
      limit: configLimit,
    },
    'processor/command/command-config.ts parseCommandConfig': {
      read: parseCommandConfig,
      samples: ['COMMAND = true …'],
      tokens: configTokens,
      limit: configLimit,
    },
    'processor/command/command-config.ts splitConfig': {
      read: splitConfig,
      samples: ['A = b\n…\n---\nc'],
      tokens: configTokens,
      limit: configLimit,
    },
    'processor/dummy-config.ts parseDummyConfig': {
      read: parseDummyConfig,
      samples: ['DUMMY = true # …'],
      tokens: configTokens,
      limit: configLimit,
    },
    'request/request.ts decodeRequest': {
      read: (text) => decodeRequest(latin1(text)),
      samples: ['\x0a\x01a\x2a\x01b'],
      tokens: ['\x0a\x01a', '\x2a\x01b', '\x32\0', '\x3a\0', '\x3a\x02\x1a\0', '\xff', '\x80', '\xf2\x01\0'],
    },
    'stage/owned-name.ts splitName': { read: splitName, samples: ['anna/a…'], tokens: ['/', 'a'] },
    'stage/stage-config.ts parseStageConfig': {
      read: (text) => parseStageConfig(text, { DPI: number(300, 'dots'), WORDS: words('', 'words') }),
      samples: ['DPI = 72 #…', 'WORDS = "…"', 'WORDS = a, …'],
      tokens: [...configTokens, ',', 'DPI'],
      limit: configLimit,
    },
    'stage/stage-config-lines.ts readConfigLines': {
      read: (text) => readConfigLines(text, () => false),
      samples: ['KEY = …value', 'KEY …= value', 'KEY = "…" # comment'],
      tokens: configTokens,
      limit: configLimit,
    },
    'webhook/address-guard.ts checkUrl': {
      read: (text) => checkUrl(text, false),
      samples: ['https://example.org/…', 'https://…example.org'],
      tokens: ['/', '.', '..', '%', '@', ':', '[', '0'],
    },
    'webhook/address-guard.ts isPublic': {
      read: isPublic,
      samples: ['1.2.3.4', '2001:db8::…'],
      tokens: [':', '::', '1.', '0', 'f', '%'],
      limit: [1024, 'the resolver’s limit on names and addresses'],
    },
  },
  excused: {
    'backup/unpack-backup.ts unpackBackup': 'readTar reads it; files go to disk',
    'blobs/blobs.ts readBlob': 'reads bytes, and doesn’t look at them',
    'broker/rabbitmq/address.ts readAddress': 'a setting',
    'coordination/zookeeper/address.ts readAddress': 'a setting',
    'data-directory/data-directory-holder.ts readHolder': 'a file of ours',
    'database/postgres/address.ts readAddress': 'a setting',
    'database/read-in-turn.ts readInTurn': 'queries of ours',
    'files/read-json.ts readJson': 'a file of ours',
    'processor/command/output-files.ts readOutput': 'a directory; names go through isPlainPath',
    'processor/read-from-host.ts readFromHost': 'checks types, and doesn’t look into texts',
    'processor/stage-files.ts readStageFiles': 'reads bytes, and doesn’t look at them',
    'sample/history-store.ts readRows': 'our own figures',
    'sample/read-history.ts readHistory': 'our own figures',
    'sample/take-sample.ts readCluster': 'asks our stores',
    'servers/certificates.ts readCertificate': 'asks a server; Node parses its certificate',
    'simulation/read-workload.ts readWorkload': 'a file of the person who simulates',
    'stage/stage-config.ts words': 'declares a key; parseStageConfig reads it',
    'trace/event-columns.ts unpackEvents': 'rows that we packed',
    'trace/trace-store.ts readTrace': 'rows that we packed',
    'watchdog/snapshot.ts read': 'our own counts and nodes',
    'worker/worker-record.ts parsePresence': 'nodes of our workers, at most 512 KB; JSON and Zod',
    'worker/worker-record.ts parseRecord': 'nodes of our workers, at most 512 KB; JSON and Zod',
    'worker/journal-rows.ts readJournal': 'rows that we wrote',
  },
};
