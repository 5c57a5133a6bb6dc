import type { Message, UnknownField } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import type { Request } from '../../src/engine/request/request.ts';

/** The number of a field that a later version may have, in any message. */
export const newerField = 120;

/** As a later version would send it: with a field of its own in the request, in each file and in each log. */
export function addNewerFields(request: Request): Request {
  for (const [place, message] of places(request)) {
    const text = Buffer.from(`newer ${place}`);
    const data = Buffer.concat([Buffer.from([text.length]), text]);
    message.$unknown = [{ no: newerField, wireType: WireType.LengthDelimited, data }];
  }
  return request;
}

/** The texts of the fields that we don't know, by the place where they were put. */
export function newerFieldsOf(request: Request): Record<string, string> {
  return Object.fromEntries(
    places(request).flatMap(([place, { $unknown = [] }]) =>
      $unknown.filter(({ no }) => no === newerField).map((field) => [place, textOf(field)]),
    ),
  );
}

function textOf({ data }: UnknownField): string {
  return Buffer.from(data).subarray(1).toString();
}

function places(request: Request): [string, Message][] {
  return [
    ['request', request],
    ...request.results.map((file): [string, Message] => [`file ${file.name}`, file]),
    ...request.logs.map((log): [string, Message] => [`log of ${log.stage} by ${log.hostId}`, log]),
  ];
}
