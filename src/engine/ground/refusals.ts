import { defineSentences } from './sentence.ts';

/** Refusals that people meet often, so that programs can say them in other languages. All others have their error code. */
export const sayRefusal = defineSentences({
  'refused.not-signed-in': (_: Record<never, never>) =>
    'sign in first, or send a valid key in the header `Authorization: Bearer pk_...`',
  'refused.wrong-password': (_: Record<never, never>) =>
    'the name or the password is wrong, or the user is disabled',
  'refused.current-password': (_: Record<never, never>) => 'the current password is wrong or missing',
  'refused.sign-in-later': ({ seconds }: { seconds: number }) =>
    `too many failed sign-ins; try again in ${seconds} s`,
  'refused.calls-later': ({ seconds }: { seconds: number }) => `too many requests; try again in ${seconds} s`,
  'refused.role': ({ operation, needed, role }: { operation: string; needed: string; role: string }) =>
    `${operation} needs the role ${needed}, but yours is ${role}; an administrator can change that`,
  'refused.scope': ({ operation, scopes }: { operation: string; scopes: readonly string[] }) =>
    `this key may not call ${operation}; its scopes are ${scopes.join(', ') || 'none'}`,
  'refused.input': ({ problems }: { problems: readonly string[] }) => problems.join('; '),

  'unknown.or-foreign': (_: Record<never, never>) => 'there is no such thing, or it is not yours',
  'unknown.stage': (it: { stage: string; near: string | null; known: readonly string[] }) =>
    `there is no stage ${it.stage}; ${it.near === null ? '' : `did you mean ${it.near}? `}` +
    `${it.known.length > 0 ? `known stages: ${it.known.join(', ')}` : 'no stages are defined yet'}`,
  'unknown.processor': ({ processor, known }: { processor: string; known: readonly string[] }) =>
    `there is no processor ${processor}; known: ${known.join(', ')}`,
  'unknown.pipeline': ({ pipeline }: { pipeline: string }) =>
    `there is no pipeline ${pipeline}; \`pismak pipeline ls\` lists them`,
  'unknown.worker': ({ worker }: { worker: string }) =>
    `there is no worker ${worker}; \`pismak worker ls\` lists them`,
  'unknown.user': ({ user }: { user: string }) => `there is no user ${user}; \`pismak user ls\` lists them`,
  'unknown.alert': ({ alert }: { alert: string }) =>
    `there is no alert ${alert}; \`pismak alert ls\` lists them`,

  'taken.stage': ({ stage }: { stage: string }) => `stage ${stage} already exists; change it with configure`,
  'taken.pipeline': ({ pipeline }: { pipeline: string }) =>
    `pipeline ${pipeline} already exists; delete it first`,
  'taken.schedule': ({ schedule }: { schedule: string }) =>
    `schedule ${schedule} already exists; \`pismak schedule set\` changes it`,
  'taken.user': ({ user }: { user: string }) => `user ${user} already exists`,

  'conflict.messages-wait': ({ stage, waiting }: { stage: string; waiting: number }) =>
    `${waiting} messages wait in stage ${stage} and would be lost; purge them or use force`,
  'conflict.last-administrator': ({ user }: { user: string }) =>
    `${user} is the last enabled administrator; make another user an administrator first`,
  'conflict.alert-ended': (_: Record<never, never>) =>
    'this alert has ended; if it comes again, it is a new one',
  'conflict.configuration': ({ processor, why }: { processor: string; why: string }) =>
    `configuration for processor ${processor}: ${why}`,

  'failed.internal': ({ id }: { id: string }) =>
    `an internal error occurred; the log has the details under ${id}`,
  'failed.stopped': ({ seconds }: { seconds: number }) =>
    `this took longer than ${seconds} s and was stopped; ask for less at once, or try again later`,
  'failed.may-still-run': ({ seconds }: { seconds: number }) =>
    `this takes longer than ${seconds} s and may still be running; check whether it is done before you repeat it`,
  'failed.not-started': (_: Record<never, never>) =>
    'too many long calls are running, so this one was not started; try again later',
  'failed.disk-full': (_: Record<never, never>) =>
    'the disk is nearly full, so nothing new is accepted; reading and deleting still work. Delete what is no longer needed, or ask the operator for room (setting disk.reserveMb)',
});
