import { isAscii as isAsciiBytes } from 'node:buffer';
import { connect as connectSocket, isIP } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import { isAscii, wireAddress } from '../model/address.ts';
import { authenticate } from './authenticate.ts';
import { SmtpDialogue } from './dialogue.ts';
import { dotStuffed } from './dot-stuffing.ts';
import { canHold, isoSeconds } from './future-release.ts';
import { outcomeOf, type Reply, type SmtpOutcome } from './outcome.ts';
import type { SmtpServer } from './server-url.ts';
import { type SmtpTimeouts, standardTimeouts } from './timeouts.ts';

export interface Envelope {
  /** Empty for bounces. */
  from: string;
  to: string;
  /** The server must hold the mail until this time (FUTURERELEASE, RFC 4865). */
  holdUntil?: number | undefined;
}

export interface SmtpOptions {
  server: SmtpServer;
  /** Our name in EHLO. */
  name?: string;
  timeouts?: Partial<SmtpTimeouts>;
  clock?: Clock;
}

/**
 * One connection to a mail server. With PIPELINING, MAIL, RCPT and DATA share a packet with the end of the previous mail, so a
 * mail costs one round trip instead of four.
 */
export class SmtpConnection {
  readonly #options: SmtpOptions;
  readonly #timeouts: SmtpTimeouts;
  readonly #dialogue: SmtpDialogue;
  #offers: ReadonlyMap<string, string> = new Map();
  /** Mails whose final reply is outstanding. */
  readonly #unanswered = new Set<Promise<unknown>>();
  /** Mails started on this connection. */
  begun = 0;

  private constructor(options: SmtpOptions, dialogue: SmtpDialogue) {
    this.#options = options;
    this.#timeouts = { ...standardTimeouts, ...options.timeouts };
    this.#dialogue = dialogue;
  }

  /** Connects, greets, encrypts and signs in. Fails with `unavailable`. */
  static async open(options: SmtpOptions, signal?: AbortSignal): Promise<SmtpConnection> {
    const { host, port, tls } = options.server;
    const socket =
      tls === 'always'
        ? connectTls({ host, port, ...tlsOptions(options.server) })
        : connectSocket({ host, port });
    // Nagle's algorithm and delayed acks together cost 40 ms a mail: 22 mails a second on one connection.
    socket.setNoDelay(true);
    const dialogue = new SmtpDialogue(socket, options.clock ?? systemClock);
    const connection = new SmtpConnection(options, dialogue);
    const abort = () => dialogue.fail(new Error('stopped'));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await dialogue.connected(
        tls === 'always' ? 'secureConnect' : 'connect',
        connection.#timeouts.connectMs,
      );
      await connection.#greet();
      return connection;
    } catch (error) {
      connection.close();
      throw new PismakError('unavailable', `${host}:${port}: ${messageOf(error)}`, { cause: error });
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  get isOpen(): boolean {
    return this.#dialogue.isOpen;
  }

  get isEncrypted(): boolean {
    return 'encrypted' in this.#dialogue.socket;
  }

  offers(extension: string): boolean {
    return this.#offers.has(extension);
  }

  /**
   * Transfers one mail. Never throws: every failure is an outcome. Call it again after it has resolved, or from `onWritten`,
   * which is called when the mail is written and the next may follow at once. That happens only with PIPELINING.
   */
  async send(envelope: Envelope, message: Buffer, onWritten = () => {}): Promise<SmtpOutcome> {
    const refusal = this.#cannotCarry(envelope, message);
    if (refusal) return refusal;
    this.begun++;
    try {
      const refused = await this.#begin(envelope, message);
      if (refused) return refused;
    } catch (error) {
      return { kind: 'unsent', answer: messageOf(error) };
    }
    if (!this.isOpen) return { kind: 'unsent', answer: messageOf(this.#dialogue.end) };
    // From here on the server may have the whole mail, even if its reply never arrives.
    for (const part of dotStuffed(message)) this.#dialogue.write(part);
    const answer = this.#dialogue.replies(1, this.#timeouts.blockMs + this.#timeouts.finalMs);
    this.#unanswered.add(answer);
    if (this.offers('PIPELINING')) onWritten();
    const [reply] = await answer;
    this.#unanswered.delete(answer);
    if (!reply)
      return { kind: 'unknown', answer: `after the end of the mail: ${messageOf(this.#dialogue.end)}` };
    const outcome = outcomeOf(reply);
    this.#closeIfAsked(outcome);
    return outcome;
  }

  /** Sends QUIT once the mails under way are answered. */
  async quit(): Promise<void> {
    await Promise.all(this.#unanswered);
    if (!this.isOpen) return;
    try {
      await this.#dialogue.command('QUIT', 2000);
    } catch {
      // The connection ends either way.
    }
    this.close();
  }

  close(): void {
    this.#dialogue.fail(new Error('closed'));
  }

  /** What this server can't accept, known before a byte is sent. */
  #cannotCarry({ from, to, holdUntil }: Envelope, message: Buffer): SmtpOutcome | undefined {
    if (holdUntil !== undefined && !canHold(this.#offers.get('FUTURERELEASE'), holdUntil, this.#now()))
      return { kind: 'early', answer: 'the server does not hold mails for so long' };
    const limit = Number(this.#offers.get('SIZE') ?? 0);
    if (limit > 0 && message.length > limit)
      return {
        kind: 'failed',
        code: 552,
        enhanced: '5.3.4',
        isUnasked: true,
        answer: `the mail has ${message.length} bytes; the server takes at most ${limit}`,
      };
    if (needsUtf8(from, to, message) && !this.offers('SMTPUTF8'))
      return {
        kind: 'failed',
        code: 553,
        enhanced: '5.6.7',
        isUnasked: true,
        answer: 'an address has letters outside ASCII before the @, and the server does not offer SMTPUTF8',
      };
    return undefined;
  }

  /** MAIL, RCPT and DATA. Resolves to the refusal, or to undefined if the server is ready for the mail. */
  async #begin(envelope: Envelope, message: Buffer): Promise<SmtpOutcome | undefined> {
    const from = wireAddress(envelope.from);
    const to = wireAddress(envelope.to);
    const size = this.offers('SIZE') ? ` SIZE=${message.length}` : '';
    const body = this.offers('8BITMIME') && !isAsciiBytes(message) ? ' BODY=8BITMIME' : '';
    const hold = envelope.holdUntil === undefined ? '' : ` HOLDUNTIL=${isoSeconds(envelope.holdUntil)}`;
    const mail = `MAIL FROM:<${from}>${size}${body}${needsUtf8(from, to, message) ? ' SMTPUTF8' : ''}${hold}`;
    const recipient = `RCPT TO:<${to}>`;
    const { mailMs, recipientMs, dataMs } = this.#timeouts;
    if (!this.offers('PIPELINING')) {
      const steps: [string, number][] = [
        [mail, mailMs],
        [recipient, recipientMs],
      ];
      for (const [command, timeoutMs] of steps) {
        const outcome = outcomeOf(await this.#dialogue.command(command, timeoutMs));
        if (outcome.kind !== 'sent') return this.#startOver(outcome);
      }
      const data = await this.#dialogue.command('DATA', dataMs);
      return data.code === 354 ? undefined : this.#startOver(refusalOf(data));
    }
    this.#dialogue.write(`${mail}\r\n${recipient}\r\nDATA\r\n`);
    // The previous mail may still be waiting for its reply, with a timeout of its own.
    const beforeMs = this.#unanswered.size > 0 ? this.#timeouts.blockMs + this.#timeouts.finalMs : 0;
    const said = await this.#dialogue.replies(3, beforeMs + mailMs + recipientMs + dataMs);
    const refused = said
      .slice(0, 2)
      .map(outcomeOf)
      .find(({ kind }) => kind !== 'sent');
    const [, , dataReply] = said;
    // After 421 a server does not answer the other commands.
    if (refused && !this.isOpen) return refused;
    if (!dataReply) throw this.#dialogue.end;
    if (!refused) return dataReply.code === 354 ? undefined : this.#startOver(refusalOf(dataReply));
    // A server that answers 354 although it refused the recipient gets an empty mail, as RFC 2920 says.
    if (dataReply.code === 354) await this.#dialogue.command('.', this.#timeouts.finalMs);
    return this.#startOver(refused);
  }

  #now(): number {
    return (this.#options.clock ?? systemClock).now();
  }

  async #startOver(refusal: SmtpOutcome): Promise<SmtpOutcome> {
    this.#closeIfAsked(refusal);
    if (this.isOpen)
      await this.#dialogue.command('RSET', this.#timeouts.commandMs).catch(() => {
        // The mail was refused already; the broken connection is noticed by the next one.
      });
    return refusal;
  }

  #closeIfAsked(outcome: SmtpOutcome): void {
    if ('code' in outcome && outcome.code === 421) this.close();
  }

  async #greet(): Promise<void> {
    const greeting = await this.#dialogue.reply(this.#timeouts.greetingMs);
    if (greeting.code !== 220) throw new Error(`greeted with ${greeting.code} ${greeting.text}`);
    await this.#introduce();
    const { server } = this.#options;
    if ((server.tls === 'require' || server.tls === 'offered') && this.offers('STARTTLS'))
      await this.#encrypt();
    else if (server.tls === 'require') throw new Error('offers no STARTTLS, and tls=require');
    const { auth } = server;
    if (auth)
      await authenticate(auth, this.#offers.get('AUTH') ?? '', (line) =>
        this.#dialogue.command(line, this.#timeouts.commandMs),
      );
  }

  async #introduce(): Promise<void> {
    const name = this.#options.name ?? hostname();
    const reply = await this.#dialogue.command(`EHLO ${name}`, this.#timeouts.commandMs);
    if (reply.code === 250) {
      const offers = reply.lines.slice(1).map((line) => /^(\S+)\s*(.*)$/s.exec(line));
      this.#offers = new Map(offers.map((match) => [match?.[1]?.toUpperCase() ?? '', match?.[2] ?? '']));
      return;
    }
    const old = await this.#dialogue.command(`HELO ${name}`, this.#timeouts.commandMs);
    if (old.code !== 250) throw new Error(`refused HELO: ${old.code} ${old.text}`);
  }

  async #encrypt(): Promise<void> {
    const reply = await this.#dialogue.command('STARTTLS', this.#timeouts.commandMs);
    if (reply.code !== 220) throw new Error(`refused STARTTLS: ${reply.code} ${reply.text}`);
    // Bytes received before TLS must not count as replies inside it.
    if (this.#dialogue.hasRest) throw new Error('sent more than its answer before the encryption began');
    this.#dialogue.continueOver((plain) =>
      connectTls({ socket: plain, ...tlsOptions(this.#options.server) }),
    );
    await this.#dialogue.connected('secureConnect', this.#timeouts.connectMs);
    this.#offers = new Map();
    await this.#introduce();
  }
}

/** Whether an address in the envelope or the headers is not ASCII, which needs SMTPUTF8 (RFC 6531). Bodies do not. */
function needsUtf8(from: string, to: string, message: Buffer): boolean {
  if (!(isAscii(wireAddress(from)) && isAscii(wireAddress(to)))) return true;
  return !isAsciiBytes(message) && !isAsciiBytes(message.subarray(0, message.indexOf('\r\n\r\n')));
}

/** DATA was answered with something that is neither 354 nor an error: the server is confused, so try later. */
function refusalOf(reply: Reply): SmtpOutcome {
  const outcome = outcomeOf(reply);
  return outcome.kind === 'sent' || reply.code < 400
    ? { kind: 'deferred', answer: outcome.answer, code: reply.code }
    : outcome;
}

function tlsOptions({ host, verify }: SmtpServer) {
  return { rejectUnauthorized: verify, ...(isIP(host) ? {} : { servername: host }) };
}
