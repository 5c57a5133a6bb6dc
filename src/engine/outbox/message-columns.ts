import type { OutgoingMessage } from '../broker/broker.ts';

/** The columns of a message that waits to be published. */
export interface MessageColumns {
  messageId: string;
  lane: string;
  headersJson: string;
  body: Uint8Array;
}

export function toColumns(message: OutgoingMessage): MessageColumns {
  const { id, lane = 'normal', headers = {}, body } = message;
  return { messageId: id, lane, headersJson: JSON.stringify(headers), body };
}

export function fromColumns(row: MessageColumns): OutgoingMessage {
  return {
    id: row.messageId,
    lane: row.lane === 'high' ? 'high' : 'normal',
    headers: JSON.parse(row.headersJson),
    body: row.body,
  };
}
