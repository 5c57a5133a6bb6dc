import type { ErrorCode } from '../../src/engine/ground/errors.ts';

/** What each code means to a caller. */
export const errorMeanings: Record<ErrorCode, string> = {
  'invalid-input': 'A field is missing or wrong; `details` names it.',
  'not-signed-in': 'The call has no key or session, or it is no longer valid.',
  forbidden: 'The role or the scopes of the key do not allow the call.',
  'not-found': 'There is no such thing, or it belongs to another user.',
  'too-slow': 'The headers or the body arrived too slowly. Send them again, a large body in smaller parts.',
  'already-exists': 'The name is taken.',
  conflict: 'The state of the thing does not allow the call; the message says what to do first.',
  'too-large': 'The body or upload exceeds a limit in the [settings](settings.md).',
  'too-many-requests':
    'Too many calls in a minute, or too many open connections. Wait; `Retry-After` says how long.',
  'quota-exceeded': 'A limit of the user or key is reached; `details` has the limit and what is used.',
  internal: 'A bug or a failure inside Pismak. The log of the server has the cause.',
  unavailable:
    'Starting, stopping, a server behind Pismak is down, or too many of your calls wait. Try again; `Retry-After` says when.',
  'took-too-long': 'The call took longer than allowed and was stopped. Ask for less at once.',
  'disk-full':
    'The disk is nearly full. Nothing was stored; reading and deleting still work. Delete something, or ask the operator.',

  'queue-unknown': 'There is no such queue.',
  'queue-full': 'The queue has reached its `maxLength`. Wait, then try again.',
  'queue-broken':
    'The broker refuses the queue, so the stage waits for an administrator (`pismak alert ls`). Try again later.',
  'message-too-large': 'The request exceeds what the broker takes. Upload large files and name them by hash.',
  'request-invalid': 'The request can not be read, or its list of stages is wrong.',
  'stage-unknown': 'A stage in the list does not exist.',
  'processor-unknown': 'No processor of that name is registered.',
  'processor-failed': 'The processor reported a failure.',
  'processor-crashed': 'The process of the processor died.',
  'processor-timeout': 'The processor took longer than `timeoutMs` of its stage.',

  'node-changed': 'Another caller changed it in the meantime. Read it again, then repeat the change.',
  'node-exists': 'The coordination node is there already.',
  'hold-lost': 'A lock or leadership passed to another process.',
  'session-lost': 'The session with the coordination server ended. Try again.',

  'blob-missing': 'No blob has this hash, or you may not use it.',
  'blob-corrupt': 'The stored bytes do not match their hash.',
  'constraint-violated': 'The database refused the change, because it contradicts other data.',
  'data-directory-in-use': 'Another process has the data directory.',
  'configuration-invalid': 'A setting or the configuration of a stage is wrong; the message names the line.',
};
