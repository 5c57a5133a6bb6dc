import { drain, type ForeignText, inPieces, latin1 } from '../../engine/testing/foreign-reader.ts';
import { readCsvPeople } from '../campaigns/read-csv-people.ts';
import { answerText, withoutAddresses } from '../delivery/answer-text.ts';
import { readMailMessage } from '../delivery/mail-message.ts';
import { header } from '../mime/headers.ts';
import { quotedPrintable } from '../mime/quoted-printable.ts';
import { checkAddress, formatContact, parseContact, wireAddress } from '../model/address.ts';
import { mailFromJson } from '../model/mail.ts';
import { parseHours } from '../model/sending-hours.ts';
import { isDeadAddress } from '../reports/dead-address-words.ts';
import { readReport } from '../reports/read-report.ts';
import { parseMisbehaviour } from '../sink/misbehaviour.ts';
import { masked, parseServerUrl } from '../smtp/server-url.ts';
import { compileTemplate } from '../templates/compile.ts';
import { extractTexts } from '../templates/extract.ts';
import { readPo } from '../templates/po-file.ts';
import { tokensOf } from '../tokens/tokens.ts';

const addressTokens = ['@', '.', '<', '>', '"', '\\', 'a.', '"a"', '(', ','];
const answerTokens = [
  '550 ',
  '5.1.1',
  '@',
  'user ',
  'unknown ',
  'address ',
  '.',
  'not ',
  'mailbox',
  '5.4.1 ',
];
const liquidTokens = [
  '{{',
  '}}',
  '{%',
  '%}',
  "'",
  '"',
  '|',
  ' | t',
  ': ',
  '{% if a %}',
  '{% endif %}',
  '{{ a }}',
];
const reportTokens = ['\r\n', '--', '--a', ':', ';', '=', '<', '@', 'Status: ', '-'];
const oneMail = { id: 'a', owner: 'a', createdAt: 1, notAfter: 1 };
const tokens = tokensOf(Buffer.alloc(32));
const reply = [
  65_536,
  'the longest reply of a server that is kept is 500 characters; each line has 4 KB',
] as const;
const address = [600, 'the limit on an address in operations, files and messages'] as const;

export const foreignText: ForeignText = {
  readers: {
    'campaigns/read-csv-people.ts readCsvPeople': {
      read: (text) => drain(readCsvPeople(inPieces(text))),
      samples: ['email,name…\na@b.cz,…\n', 'email\n…'],
      tokens: [',', '"', '""', '\n', 'email,', '__proto__,'],
    },
    'delivery/answer-text.ts answerText': { read: answerText, samples: ['250 ok…'], tokens: answerTokens },
    'delivery/answer-text.ts withoutAddresses': {
      read: withoutAddresses,
      samples: ['550 <a@…b.cz>'],
      tokens: answerTokens,
      limit: reply,
    },
    'delivery/mail-message.ts readMailMessage': {
      read: (text) => readMailMessage(Buffer.from(text)),
      samples: [
        JSON.stringify({ mail: { ...oneMail, fields: { type: 'a', to: 'a@b.cz', data: { a: '…' } } } }),
      ],
      tokens: ['[', '{', '"', ',', '{"a":', '"k":0,'],
    },
    'reports/dead-address-words.ts isDeadAddress': {
      read: (text) => isDeadAddress(text),
      samples: ['550 5.1.1 user …unknown'],
      tokens: answerTokens,
      limit: reply,
    },
    'reports/read-report.ts readReport': {
      read: (text) => readReport(latin1(text)),
      samples: [
        'From: MAILER-DAEMON@a\r\nSubject: b…\r\n\r\nc…',
        `Content-Type: multipart/report; boundary=a\r\n\r\n--a\r\nContent-Type: message/delivery-status\r\n\r\n…\r\n--a--`,
        'From: MAILER-DAEMON@a\r\n\r\n…',
        'From: a@b.cz\r\n…\r\n\r\nc',
        'Content-Type: text/html\r\n\r\n<p>…</p>',
      ],
      tokens: reportTokens,
      limit: [1_900_000, 'the limit of mail.inbound; 256 KB of it are parsed'],
    },
    'mime/headers.ts header': {
      read: (text) => header('Subject', text),
      samples: ['a…'],
      tokens: ['ž', ' ', '=?', 'a'],
    },
    'mime/quoted-printable.ts quotedPrintable': {
      read: quotedPrintable,
      samples: ['a…'],
      tokens: ['ž', ' ', '=', '\r\n', '\n', ' \n', '.'],
    },
    'model/address.ts checkAddress': {
      read: checkAddress,
      samples: ['a…@example.org'],
      tokens: addressTokens,
    },
    'model/address.ts parseContact': {
      read: parseContact,
      samples: ['"Anna …" <anna@example.org>', 'Anna …<anna@example.org>', '…anna@example.org'],
      tokens: addressTokens,
    },
    'model/address.ts wireAddress': {
      read: wireAddress,
      samples: ['a@žluť…oučký.cz'],
      tokens: addressTokens,
      limit: address,
    },
    'model/address.ts formatContact': {
      read: (text) => formatContact({ name: text, address: 'a@b.cz' }),
      samples: ['Anna…'],
      tokens: addressTokens,
      limit: address,
    },
    'model/mail.ts mailFromJson': {
      read: mailFromJson,
      samples: [
        '{"type":"a","to":"a@b.cz","data":{"a":"…"}}',
        '{"type":"a","to":"a@b.cz","bcc":["…a@b.cz"]}',
      ],
      tokens: ['[', '{', '"', ',', '"a@b.cz",', '"k":0,', ' '],
    },
    'model/sending-hours.ts parseHours': {
      read: parseHours,
      samples: ['mon-fri 08:00-18:00…'],
      tokens: ['mon', '-', ':', '08', ' '],
    },
    'sink/misbehaviour.ts parseMisbehaviour': {
      read: parseMisbehaviour,
      samples: ['550@rcpt=a…'],
      tokens: ['550', '@', ':', '5%', '=', 'wait', '.'],
    },
    'smtp/server-url.ts parseServerUrl': {
      read: parseServerUrl,
      samples: ['smtp://a:b@example.org/…'],
      tokens: ['/', ':', '@', '?', '%', '&tls='],
    },
    'smtp/server-url.ts masked': { read: masked, samples: ['smtp://a:b@c'], tokens: ['/', ':', '@', '//'] },
    'templates/compile.ts compileTemplate': {
      read: (text) =>
        compileTemplate(
          { code: 'a', template: text, subject: 'a', text: 'a', translations: {}, language: 'en' },
          'en',
        ),
      samples: ['<p>{{ a… }}</p>', '{% if a %}…{% endif %}'],
      tokens: liquidTokens,
      limit: [524_288, 'the limit on a template'],
    },
    'templates/extract.ts extractTexts': {
      read: (text) => extractTexts([{ code: 'a', template: text, text: '', subject: '' }]),
      samples: ["{{ '…' | t }}", "{{ 'a' | t: '…' }}", '{% … %}'],
      tokens: liquidTokens,
      limit: [524_288, 'the limit on a template'],
    },
    'templates/po-file.ts readPo': {
      read: readPo,
      samples: ['msgid "a"\nmsgstr "b…"\n', 'msgid ""\nmsgstr "…"\n', '# …\nmsgid "a"\nmsgstr "b"\n'],
      tokens: ['msgid ', 'msgstr ', '"', '""\n', '\n', '#', '\\', 'msgid "a"\nmsgstr "b"\n', '#: '],
    },
    'tokens/tokens.ts tokensOf': {
      read: (text) => [tokens.read(text), tokens.readBounce(text), tokens.readUnsubscribe(text)],
      samples: ['abc.def…'],
      tokens: ['.', 'a', '-', '='],
    },
  },
  excused: {
    'campaigns/read-audience.ts readAudience': 'chooses the reader: CSV or a database',
    'campaigns/read-mysql.ts readMysql': 'rows of a database; the driver reads them',
    'campaigns/read-table.ts readTable': 'rows of a database; the driver reads them',
    'commands/sink.ts readPort': 'an option of a command',
    'commands/text-files.ts parseJson': 'a file of the person who runs the command',
    'compose/load-attachment.ts readAttachment': 'reads bytes, and doesn’t look at them',
    'compose/read-key.ts readKey': 'a file of the administrator',
    'database/erased-addresses.ts readErased': 'rows of ours',
    'mime/dkim.ts readDkimKey': 'a file of the administrator',
    'types/mail-types.ts readType': 'rows that mail.type.set has checked',
  },
};
