import { FetchFailure } from './fetch-failure.ts';

/** The status line and header fields of an HTTP/1.1 response. */
export interface AnswerHead {
  isVersion11: boolean;
  status: number;
  reason: string;
  fields: [name: string, value: string][];
}

/** Parses status line and fields, each ended by CR LF, without the blank line. Refuses anything that the standard does not allow. */
export function parseHead(head: string): AnswerHead {
  const firstEnd = head.indexOf('\r\n');
  const [, minor, status, reason = ''] =
    /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/.exec(head.slice(0, firstEnd)) ?? [];
  if (status === undefined) throw brokenAnswer('the status line');
  return {
    isVersion11: minor === '1',
    status: Number(status),
    reason,
    fields: parseFields(head, firstEnd + 2),
  };
}

export function parseFields(text: string, from: number): AnswerHead['fields'] {
  const fields: AnswerHead['fields'] = [];
  for (let at = from; at < text.length; ) {
    const nameFrom = at;
    while (kindOf(text, at) === nameUnit) at += 1;
    // No space before the colon, no folded lines.
    if (at === nameFrom || text.charCodeAt(at) !== colon) throw brokenAnswer('the name of a header');
    const name = text.slice(nameFrom, at);
    at += 1;
    while (isBlank(text.charCodeAt(at))) at += 1;
    const valueFrom = at;
    while (kindOf(text, at) !== forbidden) at += 1;
    if (text.charCodeAt(at) !== 13 || text.charCodeAt(at + 1) !== 10)
      throw brokenAnswer('the value of a header');
    let valueTo = at;
    while (valueTo > valueFrom && isBlank(text.charCodeAt(valueTo - 1))) valueTo -= 1;
    fields.push([name, text.slice(valueFrom, valueTo)]);
    at += 2;
  }
  return fields;
}

export function brokenAnswer(what: string): FetchFailure {
  return new FetchFailure('broken answer', { isTemporary: false, cause: new Error(what) });
}

const colon = 58;
const forbidden = 0;
const valueUnit = 1;
const nameUnit = 2;

/** Where each character may stand. */
const kinds = Uint8Array.from({ length: 256 }, (_, code) => {
  if (/[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(String.fromCharCode(code))) return nameUnit;
  return code === 9 || (code >= 32 && code !== 127) ? valueUnit : forbidden;
});

function kindOf(text: string, at: number): number {
  return at < text.length ? (kinds[text.charCodeAt(at)] as number) : forbidden;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}
