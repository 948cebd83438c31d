import { failure, invalidFields, pointer, show } from '../../platform/errors.js';
import type { FieldProblem } from '../../platform/errors.js';

/** A message as operators, templates and modules write it. Null is absent. */
export interface OutgoingMessage {
  readonly content?: string | null | undefined;
  readonly embed?: Embed | null | undefined;
  readonly buttons?: readonly Button[] | null | undefined;
  readonly allowedMentions?: AllowedMentions | null | undefined;
}

export interface Embed {
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** Of the title. */
  readonly url?: string | null | undefined;
  /** `#RRGGBB` */
  readonly color?: string | null | undefined;
  /** ISO 8601. */
  readonly timestamp?: Date | string | null | undefined;
  readonly author?:
    | {
        readonly name: string;
        readonly url?: string | null | undefined;
        readonly iconUrl?: string | null | undefined;
      }
    | null
    | undefined;
  readonly footer?: { readonly text: string; readonly iconUrl?: string | null } | null | undefined;
  readonly thumbnail?: { readonly url: string } | null | undefined;
  readonly image?: { readonly url: string } | null | undefined;
  readonly fields?:
    | readonly { readonly name: string; readonly value: string; readonly inline?: boolean | null }[]
    | null
    | undefined;
}

/** A link has a `url`; every other style an `id`, by which modules know it. */
export interface Button {
  readonly label: string;
  /** `Primary`, `Secondary`, `Success`, `Danger` or `Link`, in any case; Link when absent. */
  readonly style?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly id?: string | null | undefined;
}

/** Who may be pinged, as the platform has it; nobody when absent. */
export interface AllowedMentions {
  /** `users`, `roles`, `everyone`: each that the text names. */
  readonly parse?: readonly string[] | null | undefined;
  /** Just these, by id. */
  readonly users?: readonly string[] | null | undefined;
  readonly roles?: readonly string[] | null | undefined;
}

const MENTION_KINDS = ['users', 'roles', 'everyone'] as const;

/** With the platform's number for each. */
const BUTTON_STYLES: Readonly<Record<string, number>> = {
  primary: 1,
  secondary: 2,
  success: 3,
  danger: 4,
  link: 5,
};
const LINK = 5;

/** The platform's limits. */
export const MESSAGE_LIMITS = {
  content: 2000,
  title: 256,
  description: 4096,
  authorName: 256,
  footerText: 2048,
  fields: 25,
  fieldName: 256,
  fieldValue: 1024,
  embedInAll: 6000,
  buttons: 25,
  label: 80,
  customId: 100,
  url: 2048,
  buttonUrl: 512,
  mentions: 100,
} as const;

const BUTTONS_A_ROW = 5;

/** Throws 422 with everything that the platform would not take; `at` is where the message stands in what was sent. */
export function checkMessage(message: OutgoingMessage, at: readonly string[] = []): void {
  const [first, ...others] = messageProblems(message, at);
  if (first) throw invalidFields([first, ...others]);
  if (isEmpty(message)) {
    throw failure('INVALID_FIELD', 'A message needs content, an embed or buttons; got none of them', {
      problems: [
        {
          pointer: pointer(...at, 'content'),
          code: 'INVALID_FIELD',
          detail: 'content, embed or buttons is required',
        },
      ],
    });
  }
}

/** Everything that the platform would not take, except that there must be something in it. */
export function messageProblems(message: OutgoingMessage, at: readonly string[] = []): FieldProblem[] {
  const problems = new Problems(at);
  problems.text(['content'], message.content, MESSAGE_LIMITS.content);
  if (message.embed) checkEmbed(problems, message.embed);
  checkButtons(problems, message.buttons ?? []);
  checkMentions(problems, message.allowedMentions ?? {});
  return problems.found;
}

export function isEmpty({ content, embed, buttons }: OutgoingMessage): boolean {
  return (content ?? '').trim() === '' && !embed && (buttons ?? []).length === 0;
}

/** The message in the platform's own terms, once it was checked. */
export function messageBody({ content, embed, buttons, allowedMentions }: OutgoingMessage): object {
  return {
    ...(content != null && content !== '' && { content }),
    ...(embed && { embeds: [embedBody(embed)] }),
    ...(buttons && buttons.length > 0 && { components: rowsOf(buttons) }),
    allowed_mentions: mentionsBody(allowedMentions ?? {}),
  };
}

export function isSnowflake(value: unknown): value is string {
  return typeof value === 'string' && /^\d{17,20}$/.test(value);
}

class Problems {
  readonly found: FieldProblem[] = [];

  constructor(private readonly at: readonly string[]) {}

  add(path: readonly (string | number)[], allowed: string): void {
    const full = [...this.at, ...path];
    this.found.push({
      pointer: pointer(...full),
      code: 'INVALID_FIELD',
      detail: `${full.join('.')} ${allowed}`,
    });
  }

  text(path: readonly (string | number)[], text: string | null | undefined, max: number, min = 0): void {
    if (text == null && min === 0) return;
    const length = text?.length ?? 0;
    if (length < min || length > max) this.add(path, `must have ${min}–${max} characters; got ${length}`);
    else if (text?.isWellFormed() === false) this.add(path, 'must be text without half surrogate pairs');
  }

  url(
    path: readonly (string | number)[],
    url: string | null | undefined,
    max: number = MESSAGE_LIMITS.url,
  ): void {
    if (url == null) return;
    const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url) && url.length <= max;
    if (!isWeb)
      this.add(path, `must be an http:// or https:// URL of at most ${max} characters; got ${show(url)}`);
  }
}

function checkEmbed(problems: Problems, embed: Embed): void {
  const { title, description, url, color, timestamp, author, footer, thumbnail, image, fields } = embed;
  const limits = MESSAGE_LIMITS;
  problems.text(['embed', 'title'], title, limits.title);
  problems.text(['embed', 'description'], description, limits.description);
  problems.url(['embed', 'url'], url);
  if (color != null && !/^#[0-9a-f]{6}$/i.test(color)) {
    problems.add(['embed', 'color'], `must be a color such as "#5865F2"; got ${show(color)}`);
  }
  if (typeof timestamp === 'string' && Number.isNaN(Date.parse(timestamp))) {
    problems.add(['embed', 'timestamp'], `must be an ISO 8601 date-time; got ${show(timestamp)}`);
  }
  if (author) {
    problems.text(['embed', 'author', 'name'], author.name, limits.authorName, 1);
    problems.url(['embed', 'author', 'url'], author.url);
    problems.url(['embed', 'author', 'iconUrl'], author.iconUrl);
  }
  if (footer) {
    problems.text(['embed', 'footer', 'text'], footer.text, limits.footerText, 1);
    problems.url(['embed', 'footer', 'iconUrl'], footer.iconUrl);
  }
  problems.url(['embed', 'thumbnail', 'url'], thumbnail?.url);
  problems.url(['embed', 'image', 'url'], image?.url);
  if (fields && fields.length > limits.fields) {
    problems.add(['embed', 'fields'], `may have at most ${limits.fields}; got ${fields.length}`);
  }
  for (const [index, { name, value }] of (fields ?? []).entries()) {
    problems.text(['embed', 'fields', index, 'name'], name, limits.fieldName, 1);
    problems.text(['embed', 'fields', index, 'value'], value, limits.fieldValue, 1);
  }
  const length = embedLength(embed);
  if (length > limits.embedInAll) {
    problems.add(['embed'], `may have at most ${limits.embedInAll} characters in all; got ${length}`);
  }
  if (length === 0 && !image && !thumbnail) {
    problems.add(['embed'], 'must have a title, a description, fields, an author, a footer or an image');
  }
}

function embedLength({ title, description, author, footer, fields }: Embed): number {
  const texts = [
    title,
    description,
    author?.name,
    footer?.text,
    ...(fields ?? []).flatMap((each) => [each.name, each.value]),
  ];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

function checkButtons(problems: Problems, buttons: readonly Button[]): void {
  const limits = MESSAGE_LIMITS;
  if (buttons.length > limits.buttons) {
    problems.add(
      ['buttons'],
      `may be at most ${limits.buttons}, in rows of ${BUTTONS_A_ROW}; got ${buttons.length}`,
    );
  }
  const ids = new Set<string>();
  for (const [index, button] of buttons.entries()) {
    problems.text(['buttons', index, 'label'], button.label, limits.label, 1);
    const style = styleOf(button);
    if (style === undefined) {
      const allowed = 'must be Primary, Secondary, Success, Danger or Link';
      problems.add(['buttons', index, 'style'], `${allowed}; got ${show(button.style)}`);
    } else if (style === LINK) {
      if (button.url == null) problems.add(['buttons', index, 'url'], 'is required for a link');
      problems.url(['buttons', index, 'url'], button.url, limits.buttonUrl);
    } else {
      problems.text(['buttons', index, 'id'], button.id, limits.customId, 1);
      if (button.id != null && ids.has(button.id))
        problems.add(['buttons', index, 'id'], 'must not stand there twice');
      if (button.id != null) ids.add(button.id);
    }
  }
}

function checkMentions(problems: Problems, mentions: AllowedMentions): void {
  const parse = mentions.parse ?? [];
  const unknown = parse.findIndex((kind) => !(MENTION_KINDS as readonly string[]).includes(kind));
  if (unknown >= 0) {
    const allowed = `must be one of ${MENTION_KINDS.join(', ')}; got ${show(parse[unknown])}`;
    problems.add(['allowedMentions', 'parse', unknown], allowed);
  }
  for (const kind of ['users', 'roles'] as const) {
    const ids = mentions[kind] ?? [];
    const path = ['allowedMentions', kind];
    if (ids.length > MESSAGE_LIMITS.mentions) {
      problems.add(path, `may have at most ${MESSAGE_LIMITS.mentions}; got ${ids.length}`);
    }
    if (ids.length > 0 && parse.includes(kind)) problems.add(path, `must be empty when parse has ${kind}`);
    const wrong = ids.findIndex((id) => !isSnowflake(id));
    if (wrong >= 0) problems.add([...path, wrong], `must be an id; got ${show(ids[wrong])}`);
  }
}

function styleOf({ style }: Button): number | undefined {
  const name = (style ?? 'Link').toLowerCase();
  return Object.hasOwn(BUTTON_STYLES, name) ? BUTTON_STYLES[name] : undefined;
}

function embedBody(embed: Embed): object {
  const { color, timestamp, author, footer, fields } = embed;
  const { title, description, url, thumbnail, image } = embed;
  return present({
    ...{ title, description, url, thumbnail, image },
    color: color == null ? undefined : Number.parseInt(color.slice(1), 16),
    timestamp: timestamp == null ? undefined : new Date(timestamp).toISOString(),
    author: author && present({ name: author.name, url: author.url, icon_url: author.iconUrl }),
    footer: footer && present({ text: footer.text, icon_url: footer.iconUrl }),
    fields: fields?.map(({ name, value, inline }) => ({ name, value, inline: inline ?? false })),
  });
}

function rowsOf(buttons: readonly Button[]): object[] {
  const rows = Math.ceil(buttons.length / BUTTONS_A_ROW);
  return Array.from({ length: rows }, (_, row) => ({
    type: 1,
    components: buttons.slice(row * BUTTONS_A_ROW, (row + 1) * BUTTONS_A_ROW).map((button) => {
      const style = styleOf(button);
      const target = style === LINK ? { url: button.url } : { custom_id: button.id };
      return { type: 2, style, label: button.label, ...target };
    }),
  }));
}

function mentionsBody({ parse, users, roles }: AllowedMentions): object {
  return { parse: [...new Set(parse)], users: users ?? [], roles: roles ?? [] };
}

/** Without the members that are null. */
function present(object: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value != null));
}
