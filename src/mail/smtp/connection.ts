import { isAscii as isAsciiBytes } from 'node:buffer';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { messageOf, PismakError } from '../../engine/errors.ts';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import { isAscii, wireAddress } from '../model/address.ts';
import { authenticate } from './authenticate.ts';
import { dotStuffed } from './dot-stuffing.ts';
import { outcomeOf, type Reply, type SmtpOutcome } from './outcome.ts';
import { ReplyReader } from './reply-reader.ts';
import type { SmtpServer } from './server-url.ts';
import { type SmtpTimeouts, standardTimeouts } from './timeouts.ts';

export interface Envelope {
  /** Empty for bounces. */
  from: string;
  to: string;
}

export interface SmtpOptions {
  server: SmtpServer;
  /** What we call ourselves in EHLO. */
  name?: string;
  timeouts?: Partial<SmtpTimeouts>;
  clock?: Clock;
}

interface Expectation {
  resolve(reply: Reply): void;
  reject(error: Error): void;
  cancelTimer(): void;
}

/**
 * One connection to a mail server, for one mail at a time. With PIPELINING, MAIL, RCPT and DATA travel in one packet, so a
 * mail costs two round trips; without it four.
 */
export class SmtpConnection {
  readonly #options: SmtpOptions;
  readonly #timeouts: SmtpTimeouts;
  readonly #clock: Clock;
  #socket: Socket;
  #reader = new ReplyReader();
  #expected: Expectation[] = [];
  #end: Error | undefined;
  #offers: ReadonlyMap<string, string> = new Map();
  /** Mails transferred. */
  sent = 0;

  private constructor(options: SmtpOptions, socket: Socket) {
    this.#options = options;
    this.#timeouts = { ...standardTimeouts, ...options.timeouts };
    this.#clock = options.clock ?? systemClock;
    this.#socket = socket;
    this.#listen(socket);
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
    const connection = new SmtpConnection(options, socket);
    const abort = () => connection.#fail(new Error('stopped'));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await connection.#connected(tls === 'always' ? 'secureConnect' : 'connect');
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
    return this.#end === undefined;
  }

  get isEncrypted(): boolean {
    return 'encrypted' in this.#socket;
  }

  offers(extension: string): boolean {
    return this.#offers.has(extension);
  }

  /** Transfers one mail. Never throws: every end is an outcome. */
  async send(envelope: Envelope, message: Buffer): Promise<SmtpOutcome> {
    const refusal = this.#cannotCarry(envelope, message);
    if (refusal) return refusal;
    try {
      const refused = await this.#begin(envelope, message);
      if (refused) return refused;
    } catch (error) {
      return { kind: 'unsent', answer: messageOf(error) };
    }
    // From here on the server may have the whole mail, even if its answer never arrives.
    try {
      this.#write(dotStuffed(message));
      const outcome = outcomeOf(await this.#reply(this.#timeouts.blockMs + this.#timeouts.finalMs));
      if (outcome.kind === 'sent') this.sent++;
      this.#closeIfAsked(outcome);
      return outcome;
    } catch (error) {
      return { kind: 'unknown', answer: `after the end of the mail: ${messageOf(error)}` };
    }
  }

  async quit(): Promise<void> {
    if (!this.isOpen) return;
    try {
      await this.#command('QUIT', 2000);
    } catch {
      // It is over either way.
    }
    this.close();
  }

  close(): void {
    this.#fail(new Error('closed'));
  }

  /** What this server can't take is final, and known before a byte is sent. */
  #cannotCarry({ from, to }: Envelope, message: Buffer): SmtpOutcome | undefined {
    const limit = Number(this.#offers.get('SIZE') ?? 0);
    if (limit > 0 && message.length > limit)
      return {
        ...{ kind: 'failed', code: 552, enhanced: '5.3.4' },
        answer: `the mail has ${message.length} bytes; the server takes at most ${limit}`,
      };
    if (!(isAscii(wireAddress(from)) && isAscii(wireAddress(to))) && !this.offers('SMTPUTF8'))
      return {
        ...{ kind: 'failed', code: 553, enhanced: '5.6.7' },
        answer: 'the address has letters outside ASCII before the @, and the server does not offer SMTPUTF8',
      };
    return undefined;
  }

  /** MAIL, RCPT and DATA. Resolves to the refusal, or to undefined if the server waits for the mail. */
  async #begin(envelope: Envelope, message: Buffer): Promise<SmtpOutcome | undefined> {
    const from = wireAddress(envelope.from);
    const to = wireAddress(envelope.to);
    const isUtf8 = !(isAscii(from) && isAscii(to));
    const size = this.offers('SIZE') ? ` SIZE=${message.length}` : '';
    const body = this.offers('8BITMIME') && !isAsciiBytes(message) ? ' BODY=8BITMIME' : '';
    const mail = `MAIL FROM:<${from}>${size}${body}${isUtf8 ? ' SMTPUTF8' : ''}`;
    const recipient = `RCPT TO:<${to}>`;
    const { mailMs, recipientMs, dataMs } = this.#timeouts;
    if (!this.offers('PIPELINING')) {
      const steps: [string, number][] = [
        [mail, mailMs],
        [recipient, recipientMs],
      ];
      for (const [command, timeoutMs] of steps) {
        const outcome = outcomeOf(await this.#command(command, timeoutMs));
        if (outcome.kind !== 'sent') return this.#startOver(outcome);
      }
      const data = await this.#command('DATA', dataMs);
      return data.code === 354 ? undefined : this.#startOver(refusalOf(data));
    }
    this.#write(`${mail}\r\n${recipient}\r\nDATA\r\n`);
    const replies = await Promise.allSettled([
      this.#reply(mailMs),
      this.#reply(mailMs + recipientMs),
      this.#reply(mailMs + recipientMs + dataMs),
    ]);
    const said = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []));
    const refused = said
      .slice(0, 2)
      .map(outcomeOf)
      .find(({ kind }) => kind !== 'sent');
    const [, , dataReply] = said;
    // With 421 a server leaves the other commands unanswered.
    if (refused && !this.isOpen) return refused;
    if (!dataReply) throw this.#end ?? new Error('the server stopped answering');
    if (!refused) return dataReply.code === 354 ? undefined : this.#startOver(refusalOf(dataReply));
    // A server that wants the mail although it refused its recipient gets an empty one, as RFC 2920 says.
    if (dataReply.code === 354) await this.#command('.', this.#timeouts.finalMs);
    return this.#startOver(refused);
  }

  async #startOver(refusal: SmtpOutcome): Promise<SmtpOutcome> {
    this.#closeIfAsked(refusal);
    if (this.isOpen)
      await this.#command('RSET', this.#timeouts.commandMs).catch(() => {
        // The mail was refused already; the broken connection is noticed by the next one.
      });
    return refusal;
  }

  #closeIfAsked(outcome: SmtpOutcome): void {
    if ('code' in outcome && outcome.code === 421) this.close();
  }

  async #greet(): Promise<void> {
    const greeting = await this.#reply(this.#timeouts.greetingMs);
    if (greeting.code !== 220) throw new Error(`greeted with ${greeting.code} ${greeting.text}`);
    await this.#introduce();
    const { server } = this.#options;
    if ((server.tls === 'require' || server.tls === 'offered') && this.offers('STARTTLS'))
      await this.#encrypt();
    else if (server.tls === 'require') throw new Error('offers no STARTTLS, and tls=require');
    const { auth } = server;
    if (auth)
      await authenticate(auth, this.#offers.get('AUTH') ?? '', (line) =>
        this.#command(line, this.#timeouts.commandMs),
      );
  }

  async #introduce(): Promise<void> {
    const name = this.#options.name ?? hostname();
    const reply = await this.#command(`EHLO ${name}`, this.#timeouts.commandMs);
    if (reply.code === 250) {
      const offers = reply.lines.slice(1).map((line) => /^(\S+)\s*(.*)$/.exec(line));
      this.#offers = new Map(offers.map((match) => [match?.[1]?.toUpperCase() ?? '', match?.[2] ?? '']));
      return;
    }
    const old = await this.#command(`HELO ${name}`, this.#timeouts.commandMs);
    if (old.code !== 250) throw new Error(`refused HELO: ${old.code} ${old.text}`);
  }

  async #encrypt(): Promise<void> {
    const reply = await this.#command('STARTTLS', this.#timeouts.commandMs);
    if (reply.code !== 220) throw new Error(`refused STARTTLS: ${reply.code} ${reply.text}`);
    // Bytes that came in the clear must not count as answers given in private.
    if (!this.#reader.isEmpty) throw new Error('sent more than its answer before the encryption began');
    this.#socket.removeAllListeners('data');
    this.#socket = connectTls({ socket: this.#socket, ...tlsOptions(this.#options.server) });
    this.#listen(this.#socket);
    await this.#connected('secureConnect');
    this.#offers = new Map();
    await this.#introduce();
  }

  #connected(event: 'connect' | 'secureConnect'): Promise<void> {
    return new Promise((resolve, reject) => {
      const { connectMs } = this.#timeouts;
      const expectation: Expectation = {
        resolve: () => {},
        reject,
        cancelTimer: this.#clock.after(connectMs, () =>
          this.#fail(new Error(`no connection within ${connectMs} ms`)),
        ),
      };
      if (this.#end) return reject(this.#end);
      this.#expected.push(expectation);
      this.#socket.once(event, () => {
        expectation.cancelTimer();
        this.#expected = this.#expected.filter((other) => other !== expectation);
        resolve();
      });
    });
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  #take(chunk: Buffer) {
    try {
      for (const reply of this.#reader.push(chunk)) {
        const expectation = this.#expected.shift();
        // Idle servers say goodbye without being asked.
        if (!expectation) return this.#fail(new Error(`the server said ${reply.code} ${reply.text}`));
        expectation.cancelTimer();
        expectation.resolve(reply);
      }
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #command(line: string, timeoutMs: number): Promise<Reply> {
    this.#write(`${line}\r\n`);
    return this.#reply(timeoutMs);
  }

  #write(data: string | Buffer): void {
    if (!this.#end) this.#socket.write(data);
  }

  #reply(timeoutMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end);
      const cancelTimer = this.#clock.after(timeoutMs, () =>
        this.#fail(new Error(`no answer within ${timeoutMs} ms`)),
      );
      this.#expected.push({ resolve, reject, cancelTimer });
    });
  }

  #fail(error: Error): void {
    if (this.#end) return;
    this.#end = error;
    this.#socket.destroy();
    for (const { cancelTimer, reject } of this.#expected.splice(0)) {
      cancelTimer();
      reject(error);
    }
  }
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
