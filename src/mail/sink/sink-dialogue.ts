import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import { type Misbehaviour, type Misdeed, misdeedAt, type SinkStep } from './misbehaviour.ts';
import type { ReceivedMail, SinkOptions } from './sink.ts';

interface DialogueParts {
  options: SinkOptions;
  secure: SecureContext | undefined;
  rules(): readonly Misbehaviour[];
  accept(mail: ReceivedMail): void | Promise<void>;
}

const usualSize = 52_428_800;
export const usualOffers = ['PIPELINING', '8BITMIME', 'SMTPUTF8', `SIZE ${usualSize}`, 'ENHANCEDSTATUSCODES'];
const longestLine = 64 * 1024;
const mostRecipients = 1000;
/** RFC 5321, 4.5.3.2.7: how long a server waits for a client. */
const silenceMs = 5 * 60_000;
const endOfLine = Buffer.from('\r\n');
const endOfMail = '\r\n.\r\n';

/** One connection: reads commands and replies to them in order. */
export class SinkDialogue {
  readonly #parts: DialogueParts;
  readonly #number: number;
  readonly #clock: Clock;
  #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #inMail = false;
  /** The mail received so far, from the end of the DATA line. */
  #body: Buffer[] = [];
  #bodyBytes = 0;
  #hasBegun = false;
  #tail = endOfLine;
  #from: string | undefined;
  #to: string[] = [];
  #parameters = '';
  #signedIn: boolean;
  #answer: ((line: string) => void) | undefined;
  #isBusy = false;

  constructor(socket: Socket, number: number, parts: DialogueParts) {
    this.#socket = socket;
    this.#number = number;
    this.#parts = parts;
    this.#clock = parts.options.clock ?? systemClock;
    this.#signedIn = parts.options.auth === undefined;
  }

  begin(): void {
    this.#socket.setTimeout(silenceMs, () => {
      if (this.#socket.writableNeedDrain) this.#socket.destroy();
      else if (!this.#isBusy) this.#socket.end('421 4.4.2 you have been silent for too long\r\n');
    });
    this.#listen();
    this.#step('connect', '220 sink ESMTP');
  }

  #listen() {
    this.#socket.on('data', (chunk: Buffer) => {
      this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
      this.#work();
    });
  }

  /** Handles complete commands, unless a reply is pending, or the client doesn't read the replies before. */
  #work(): void {
    while (!this.#isBusy && !this.#socket.destroyed) {
      if (this.#socket.writableNeedDrain) {
        this.#stopReading();
        this.#socket.once('drain', () => this.#goOn(() => {}));
        return;
      }
      const isTaken = this.#inMail ? this.#takeMail() : this.#takeLine();
      if (!isTaken) return;
    }
  }

  #takeLine(): boolean {
    const end = this.#rest.indexOf('\n');
    if (end < 0) {
      if (this.#rest.length > longestLine) this.#socket.destroy();
      return false;
    }
    const line = this.#rest.toString('utf8', 0, end).replace(/\r$/, '');
    this.#rest = this.#rest.subarray(end + 1);
    this.#command(line);
    return true;
  }

  #command(line: string) {
    const { auth } = this.#parts.options;
    if (this.#answer) {
      const answer = this.#answer;
      this.#answer = undefined;
      return answer(line);
    }
    const [, verb = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
    switch (verb.toUpperCase()) {
      case 'EHLO':
      case 'HELO':
        return this.#step('ehlo', this.#greeting());
      case 'STARTTLS':
        return this.#startTls();
      case 'AUTH':
        return auth ? this.#authenticate(rest, auth) : this.#say('502 5.5.1 no need to sign in');
      case 'MAIL':
        if (!this.#signedIn) return this.#say('530 5.7.0 sign in first');
        return this.#step('mail', '250 2.1.0 ok', () => {
          this.#from = addressIn(rest);
          this.#parameters = rest.replace(/^[^>]*>\s*/, '');
          this.#to = [];
        });
      case 'RCPT':
        if (this.#from === undefined) return this.#say('503 5.5.1 MAIL first');
        if (this.#to.length >= (this.#parts.options.recipients ?? mostRecipients))
          return this.#say('452 4.5.3 too many recipients');
        return this.#step('rcpt', '250 2.1.5 ok', () => void this.#to.push(addressIn(rest)), addressIn(rest));
      case 'DATA':
        if (this.#to.length === 0) return this.#say('554 5.5.1 no valid recipients');
        return this.#step('data', '354 go ahead', () => {
          this.#inMail = true;
          this.#hasBegun = false;
          this.#body = [endOfLine];
          this.#bodyBytes = 0;
          this.#tail = endOfLine;
        });
      case 'RSET':
        this.#from = undefined;
        return this.#say('250 2.0.0 ok');
      case 'NOOP':
        return this.#say('250 2.0.0 ok');
      case 'QUIT':
        this.#socket.end('221 2.0.0 bye\r\n');
        return;
      default:
        return this.#say('500 5.5.2 unknown command');
    }
  }

  #takeMail(): boolean {
    if (this.#rest.length === 0) return false;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      if (this.#isSpoilt()) return false;
    }
    // The final dot may arrive in pieces, so search the last bytes again.
    const seen = Buffer.concat([this.#tail, this.#rest]);
    const end = seen.indexOf(endOfMail);
    const taken = end < 0 ? this.#rest.length : end + endOfMail.length - this.#tail.length;
    this.#bodyBytes += taken;
    if (this.#bodyBytes <= this.#sizeLimit() + endOfMail.length)
      this.#body.push(this.#rest.subarray(0, taken));
    else this.#body = [];
    this.#rest = Buffer.from(this.#rest.subarray(taken));
    this.#tail = Buffer.from(seen.subarray(-(endOfMail.length - 1)));
    if (end < 0) return false;
    this.#inMail = false;
    this.#endMail();
    return true;
  }

  #endMail(): void {
    const whole = Buffer.concat(this.#body);
    this.#body = [];
    const mail = {
      from: this.#from ?? '',
      to: this.#to,
      parameters: this.#parameters,
      connection: this.#number,
      content: unstuffed(whole.subarray(endOfLine.length, endOfLine.length - endOfMail.length)),
    };
    this.#from = undefined;
    this.#to = [];
    if (whole.length === 0) this.#say('552 5.3.4 the mail is larger than I said');
    else this.#step('end', '250 2.0.0 taken', () => this.#parts.accept(mail), mail.to[0] ?? '');
  }

  #sizeLimit(): number {
    const { offers = usualOffers } = this.#parts.options;
    const size = offers.find((offer) => offer.startsWith('SIZE '));
    return size === undefined ? usualSize : Number(size.slice('SIZE '.length));
  }

  /** Misbehaves when the first bytes of a mail arrive. */
  #isSpoilt(): boolean {
    const misdeed = this.#misdeed('body');
    if (misdeed === undefined) return false;
    if (misdeed.kind === 'cut') this.#socket.destroy();
    else if (misdeed.kind === 'reply') this.#socket.end(`${misdeed.line}\r\n`);
    else this.#wait(misdeed.ms, () => {});
    return true;
  }

  #greeting(): string {
    const { offers = usualOffers, auth } = this.#parts.options;
    const isPlain = !(this.#socket instanceof TLSSocket);
    const all = [
      'sink',
      ...offers,
      ...(this.#parts.secure && isPlain ? ['STARTTLS'] : []),
      ...(auth ? ['AUTH PLAIN LOGIN XOAUTH2'] : []),
    ];
    return all.map((offer, index) => `250${index === all.length - 1 ? ' ' : '-'}${offer}`).join('\r\n');
  }

  #startTls() {
    const { secure } = this.#parts;
    if (!secure) return this.#say('502 5.5.1 no TLS here');
    this.#socket.write('220 2.0.0 go ahead\r\n');
    this.#socket.removeAllListeners('data');
    this.#socket = new TLSSocket(this.#socket, { isServer: true, secureContext: secure });
    this.#socket.on('error', () => this.#socket.destroy());
    this.#rest = Buffer.alloc(0);
    this.#listen();
  }

  #authenticate(rest: string, auth: NonNullable<SinkOptions['auth']>) {
    const [method = '', initial] = rest.split(' ');
    const finish = (said: string) => {
      this.#signedIn = auth(method.toLowerCase(), said);
      this.#step('auth', this.#signedIn ? '235 2.7.0 ok' : '535 5.7.8 wrong credentials');
    };
    const decoded = (text: string) => Buffer.from(text, 'base64').toString();
    if (method.toUpperCase() !== 'LOGIN')
      return initial === undefined
        ? this.#ask('334 ', (said) => finish(decoded(said)))
        : finish(decoded(initial));
    this.#ask('334 VXNlcm5hbWU6', (user) =>
      this.#ask('334 UGFzc3dvcmQ6', (password) => finish(`${decoded(user)}\0${decoded(password)}`)),
    );
  }

  #ask(question: string, answer: (line: string) => void): void {
    this.#answer = answer;
    this.#say(question);
  }

  /** Replies and applies the effect, unless a misbehaviour is due. */
  #step(
    step: SinkStep,
    line: string,
    effect: () => void | Promise<void> = () => {},
    recipient = this.#to[0] ?? '',
  ): void {
    const misdeed = this.#misdeed(step, recipient);
    if (misdeed?.kind === 'cut') {
      this.#socket.destroy();
      return;
    }
    if (misdeed?.kind === 'reply') {
      this.#say(misdeed.line);
      if (misdeed.line.startsWith('421')) this.#socket.end();
      return;
    }
    const finish = () => {
      const done = effect();
      if (!done) return this.#say(line);
      this.#stopReading();
      void done.then(
        () => this.#goOn(() => this.#say(line)),
        () => this.#goOn(() => this.#say('451 4.3.0 not now; try again later')),
      );
    };
    if (misdeed?.kind === 'wait') this.#wait(misdeed.ms, finish);
    else finish();
  }

  #wait(ms: number, then: () => void): void {
    this.#stopReading();
    this.#clock.after(ms, () => this.#goOn(then));
  }

  /** Until `#goOn`: what the client sends meanwhile would pile up. */
  #stopReading(): void {
    this.#isBusy = true;
    this.#socket.pause();
  }

  #goOn(then: () => void): void {
    this.#isBusy = false;
    if (this.#socket.destroyed) return;
    this.#socket.resume();
    then();
    this.#work();
  }

  #misdeed(step: SinkStep, recipient = this.#to[0] ?? ''): Misdeed | undefined {
    const rules = this.#parts.rules();
    return rules.length === 0
      ? undefined
      : misdeedAt(rules, { step, recipient }, this.#parts.options.random ?? Math.random);
  }

  #say(line: string): void {
    if (!this.#socket.destroyed) this.#socket.write(`${line}\r\n`);
  }
}

function addressIn(parameters: string): string {
  return /<([^<>]*)>/.exec(parameters)?.[1] ?? '';
}

function unstuffed(content: Buffer): Buffer {
  if (content.indexOf('\n..') < 0 && !(content[0] === 0x2e)) return Buffer.from(content);
  return Buffer.from(content.toString('latin1').replaceAll(/(^|\n)\./g, '$1'), 'latin1');
}
