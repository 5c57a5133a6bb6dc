import type { MailRow } from '../database/tables.ts';
import { buildMessage } from '../mime/build-message.ts';
import type { DkimKey } from '../mime/dkim.ts';
import { buildSkeleton, type Skeleton } from '../mime/skeleton.ts';
import type { Contact } from '../model/address.ts';
import type { Attachment } from '../model/attachment.ts';
import { checkDesign } from '../model/design.ts';
import type { MailFields } from '../model/mail.ts';
import type { PrepareMail } from '../prepare/preparers.ts';
import { classesOf, type MailSettings } from '../settings/settings.ts';
import type { Envelope } from '../smtp/connection.ts';
import type { Rendered, TemplateData } from '../templates/compile.ts';
import type { TemplateToFill } from '../templates/fair-templates.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { CompiledTypes } from '../types/compiled-types.ts';
import type { TypeVersion } from '../types/mail-types.ts';
import { copiesTo, copyIn } from './copies.ts';
import { limitOf, tooLargeTogether } from './load-attachment.ts';
import { readKey } from './read-key.ts';

export interface ComposedMail {
  envelope: Envelope;
  message: Buffer;
  bcc: string[];
  /** Return path of copies: without the mail's id, because a bounced copy says nothing about the recipient. */
  copyFrom: string;
  /** The type's own lane, if it has one. */
  lane?: 'high' | 'normal' | undefined;
  /** The fields of the mail with its prepared data: to be stored before it is sent, so that it stays the same. */
  prepared?: MailFields | undefined;
}
/** What a mail is made of, wherever it comes from. */
export type MailToCompose = Pick<
  MailRow,
  'id' | 'type' | 'version' | 'class' | 'fields' | 'language' | 'createdAt'
> & {
  /** Who waits if its rendering takes long. */
  owner?: string;
  /** `fields`, if they are already parsed. */
  parsed?: MailFields;
};

export interface ComposeParts {
  settings: MailSettings;
  types: Pick<CompiledTypes, 'type' | 'bareSkeleton'> & {
    template(type: TypeVersion, language: string): Promise<TemplateToFill>;
  };
  tokens: Tokens;
  /** Base URL of links in mails; empty = no links. */
  publicUrl(): string;
  loadAttachment(attachment: Attachment): Promise<Buffer>;
  /** Runs the `prepare` module of a type. */
  prepare: PrepareMail;
  close?(): void;
}

/** The field that holds the data a `prepare` module made. */
const preparedField = 'pismak:prepared';

/** A skeleton may be as large as all attachments of a mail. */
const mostSkeletons = 4;

/** Turns mails into bytes. */
export class Composer {
  readonly #parts: ComposeParts;
  readonly #classes: ReturnType<typeof classesOf>;
  readonly #skeletons = new Map<string, Promise<Skeleton>>();
  #key: Promise<DkimKey | undefined> | undefined;

  constructor(parts: ComposeParts) {
    this.#parts = parts;
    this.#classes = classesOf(parts.settings);
  }

  /** Fails if the data, template or attachments of this mail are wrong. */
  async compose(mail: MailToCompose): Promise<ComposedMail> {
    const { types, settings } = this.#parts;
    const type = await types.type(mail.type, mail.version);
    const given = readFields(mail);
    // The application may have checked a whole mail against an older version of the type.
    checkDesign(type, given.design);
    const copy = copyIn(given);
    const original = copy ? { ...mail, id: copy.of } : mail;
    const isToPrepare = type.prepare !== undefined && given[preparedField] === undefined;
    const fields = isToPrepare ? await this.#prepared(mail, type, given) : given;
    const { template, data, links, whose } = await this.#ready(original, type, fields);
    const content = await template.encode(data, fields.subject, whose);
    const skeleton = await this.#skeletonOf(type, fields.attachments ?? []);
    const from = fields.sender ?? type.sender;
    const { unsubscribe = false } = this.#classes.get(mail.class) ?? {};
    const parts = {
      id: original.id,
      from,
      to: fields.to,
      content,
      language: mail.language,
      createdAt: mail.createdAt,
      unsubscribeUrl: (unsubscribe && links.unsubscribeUrl) || undefined,
      unsubscribeAddress: unsubscribe ? this.#unsubscribeAddress(original.id) : undefined,
      isBulk: unsubscribe,
    };
    this.#key ??= readKey(settings);
    const message = await buildMessage(parts, skeleton, await this.#key);
    const copyFrom = settings.bounceAddress || from.address;
    return {
      envelope: copy
        ? { from: copyFrom, to: copy.to }
        : { from: this.#returnPath(mail.id, from), to: fields.to.address },
      message,
      lane: type.priority,
      ...(isToPrepare && { prepared: fields }),
      bcc: copy ? [] : copiesTo(type.bcc, fields.bcc),
      copyFrom,
    };
  }

  async #prepared(mail: MailToCompose, type: TypeVersion, fields: MailFields): Promise<MailFields> {
    const { to, data } = fields;
    const asked = { id: mail.id, type: mail.type, to, language: mail.language, data };
    return { ...fields, [preparedField]: await this.#parts.prepare(type.prepare ?? '', asked) };
  }

  /** Ends the processes of `prepare` modules; the next mail starts them again. */
  close(): void {
    this.#parts.close?.();
  }

  /** What the online version shows. */
  async render(mail: MailToCompose): Promise<Rendered> {
    const type = await this.#parts.types.type(mail.type, mail.version);
    const fields = readFields(mail);
    const { template, data, whose } = await this.#ready(mail, type, fields);
    return template.render(data, fields.subject, whose);
  }

  async #ready(mail: MailToCompose, type: TypeVersion, fields: MailFields) {
    const links = this.#linksOf(mail.id);
    const data: TemplateData = {
      ...((fields[preparedField] as TemplateData | undefined) ?? fields.data),
      design: type.designs[fields.design ?? ''] ?? {},
      mail: { ...links, to: fields.to.address, name: fields.to.name ?? '', language: mail.language },
    };
    const template = await this.#parts.types.template(type, mail.language);
    return { template, data, links, whose: { owner: mail.owner ?? '', bytes: mail.fields.length } };
  }

  #linksOf(id: string): { onlineUrl: string; unsubscribeUrl: string } {
    const url = this.#parts.publicUrl();
    if (url === '') return { onlineUrl: '', unsubscribeUrl: '' };
    const onlineUrl = `${url}/m/${this.#parts.tokens.of(id)}`;
    return { onlineUrl, unsubscribeUrl: `${onlineUrl}/unsubscribe` };
  }

  /** The return path contains the mail's id, so a bounce names its mail. */
  #returnPath(id: string, from: Contact): string {
    const { settings, tokens } = this.#parts;
    const { bounceAddress } = settings;
    return bounceAddress === '' ? from.address : tagged(bounceAddress, tokens.bounceTag(id));
  }

  #unsubscribeAddress(id: string): string | undefined {
    const { settings, tokens } = this.#parts;
    const { unsubscribeAddress } = settings;
    return unsubscribeAddress === '' ? undefined : tagged(unsubscribeAddress, tokens.unsubscribeTag(id));
  }

  /** Attachments of the type are read once, those of a mail each time. */
  #skeletonOf(type: TypeVersion, own: readonly Attachment[]): Promise<Skeleton> {
    if (own.length > 0) return this.#skeleton([...type.attachments, ...own]);
    if (type.attachments.length === 0) return this.#parts.types.bareSkeleton();
    const key = `${type.code}/${type.version}`;
    const known = this.#skeletons.get(key);
    if (known) return known;
    if (this.#skeletons.size >= mostSkeletons) this.#skeletons.clear();
    const made = this.#skeleton(type.attachments);
    this.#skeletons.set(key, made);
    made.catch(() => this.#skeletons.delete(key));
    return made;
  }

  async #skeleton(attachments: readonly Attachment[]): Promise<Skeleton> {
    const { settings } = this.#parts;
    let left = limitOf(settings);
    const loaded: {
      name: string;
      type?: string | undefined;
      inline?: boolean | undefined;
      content: Buffer;
    }[] = [];
    for (const attachment of attachments) {
      const content = await this.#parts.loadAttachment(attachment);
      left -= content.length;
      if (left < 0) throw tooLargeTogether(settings, attachment.name);
      loaded.push({ name: attachment.name, type: attachment.type, inline: attachment.inline, content });
    }
    return buildSkeleton(loaded);
  }
}

function tagged(address: string, tag: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}+${tag}${address.slice(at)}`;
}

/** Fields are checked when a mail is stored; checking them again would cost as much as composing. */
function readFields(mail: MailToCompose): MailFields {
  return mail.parsed ?? (JSON.parse(mail.fields) as MailFields);
}
