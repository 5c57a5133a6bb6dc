import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import { type Misbehaviour, type Misdeed, misdeedAt, type SinkStep } from './misbehaviour.ts';
import type { ReceivedMail, SinkOptions } from './sink.ts';

interface DialogueParts {
  options: SinkOptions;
  secure: SecureContext | undefined;
  rules(): readonly Misbehaviour[];
  accept(mail: ReceivedMail): unknown;
}

export const usualOffers = ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'SIZE 52428800', 'ENHANCEDSTATUSCODES'];
const longestLine = 64 * 1024;
const endOfMail = '\r\n.\r\n';

/** One connection: bytes in, answers out, one after the other. */
export class SinkDialogue {
  readonly #parts: DialogueParts;
  readonly #number: number;
  readonly #clock: Clock;
  #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #inMail = false;
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
    this.#listen();
    this.#step('connect', '220 sink ESMTP');
  }

  #listen() {
    this.#socket.on('data', (chunk: Buffer) => {
      this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
      this.#work();
    });
  }

  /** Takes what is complete, unless an answer is still being waited for. */
  #work(): void {
    while (!this.#isBusy && !this.#socket.destroyed) {
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
    const [, verb = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
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
        return this.#step('rcpt', '250 2.1.5 ok', () => this.#to.push(addressIn(rest)), addressIn(rest));
      case 'DATA':
        if (this.#to.length === 0) return this.#say('554 5.5.1 no valid recipients');
        return this.#step('data', '354 go ahead', () => {
          this.#inMail = true;
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
    const body = this.#misdeed('body');
    if (body?.kind === 'cut' && this.#rest.length > 0) {
      this.#socket.destroy();
      return false;
    }
    const isEmpty = this.#rest.toString('latin1', 0, 3) === '.\r\n';
    const end = isEmpty ? 0 : this.#rest.indexOf(endOfMail);
    if (end < 0) return false;
    const content = isEmpty ? Buffer.alloc(0) : this.#rest.subarray(0, end + 2);
    this.#rest = Buffer.from(this.#rest.subarray(isEmpty ? 3 : end + endOfMail.length));
    this.#inMail = false;
    const mail = {
      from: this.#from ?? '',
      to: this.#to,
      parameters: this.#parameters,
      content: unstuffed(content),
      connection: this.#number,
    };
    this.#from = undefined;
    this.#to = [];
    this.#step('end', '250 2.0.0 taken', () => this.#parts.accept(mail), mail.to[0] ?? '');
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
    const [method = '', initial = ''] = rest.split(' ');
    const finish = (said: string) => {
      this.#signedIn = auth(method.toLowerCase(), said);
      this.#step('auth', this.#signedIn ? '235 2.7.0 ok' : '535 5.7.8 wrong credentials');
    };
    const decoded = (text: string) => Buffer.from(text, 'base64').toString();
    if (method.toUpperCase() !== 'LOGIN') return finish(decoded(initial));
    this.#ask('334 VXNlcm5hbWU6', (user) =>
      this.#ask('334 UGFzc3dvcmQ6', (password) => finish(`${decoded(user)}\0${decoded(password)}`)),
    );
  }

  #ask(question: string, answer: (line: string) => void): void {
    this.#answer = answer;
    this.#say(question);
  }

  /** Says the line and does its effect, unless it is time to misbehave. */
  #step(step: SinkStep, line: string, effect: () => unknown = () => {}, recipient = this.#to[0] ?? '') {
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
      if (!(done instanceof Promise)) return this.#say(line);
      this.#isBusy = true;
      const say = (answer: string) => {
        this.#isBusy = false;
        this.#say(answer);
        this.#work();
      };
      void done.then(
        () => say(line),
        () => say('451 4.3.0 not now; try again later'),
      );
    };
    if (misdeed?.kind !== 'wait') return finish();
    this.#isBusy = true;
    this.#clock.after(misdeed.ms, () => {
      this.#isBusy = false;
      if (this.#socket.destroyed) return;
      finish();
      this.#work();
    });
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
  return Buffer.from(content.toString('latin1').replaceAll(/^\./gm, ''), 'latin1');
}
