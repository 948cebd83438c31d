import { FormErrors, emptyMessage } from './platform-error.js';

export type Json = Readonly<Record<string, unknown>>;

/** Checks a message as the platform does: 50006 when there is nothing in it, 50035 with a tree of fields otherwise. */
export function checkMessage(body: Json): void {
  const errors = new FormErrors();
  const embeds = list(body['embeds']);
  const rows = list(body['components']);
  longest(errors, ['content'], body['content'], 2000);
  if (embeds.length > 10) errors.add(['embeds'], 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  embeds.forEach((embed, index) => {
    checkEmbed(errors, ['embeds', index], embed);
  });
  if (embeds.reduce<number>((sum, embed) => sum + embedLength(embed), 0) > 6000) {
    errors.add(['embeds'], 'MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000');
  }
  if (rows.length > 5)
    errors.add(['components'], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
  rows.forEach((row, at) => {
    checkRow(errors, ['components', at], row);
  });
  errors.throwIfAny();
  const hasContent = typeof body['content'] === 'string' && body['content'].trim() !== '';
  if (!hasContent && embeds.length === 0 && rows.length === 0) throw emptyMessage();
}

/** Checks a profile: the length of the name, and that the avatar is an image in a data URI. */
export function checkProfile(body: Json): void {
  const errors = new FormErrors();
  const { username, avatar } = body;
  if (
    username !== undefined &&
    (typeof username !== 'string' || username.length < 2 || username.length > 32)
  ) {
    errors.add(['username'], 'BASE_TYPE_BAD_LENGTH', 'Must be between 2 and 32 in length.');
  }
  if (
    avatar != null &&
    (typeof avatar !== 'string' || !/^data:image\/(png|jpeg|gif|webp);base64,/.test(avatar))
  ) {
    errors.add(['avatar'], 'IMAGE_INVALID', 'Invalid image data');
  }
  errors.throwIfAny();
}

/** Checks a bulk overwrite of commands: names and descriptions as the platform wants them. */
export function checkCommands(commands: readonly Json[]): void {
  const errors = new FormErrors();
  if (commands.length > 100) errors.add([], 'BASE_TYPE_MAX_LENGTH', 'Must be 100 or fewer in length.');
  commands.forEach((command, index) => {
    const { name, description, type } = command;
    if (typeof name !== 'string' || !/^[-_\p{L}\p{N}]{1,32}$/u.test(name) || name !== name.toLowerCase()) {
      errors.add([index, 'name'], 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
    }
    const isSlash = type === undefined || type === 1;
    if (isSlash && (typeof description !== 'string' || description === '' || description.length > 100)) {
      errors.add([index, 'description'], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
    }
  });
  errors.throwIfAny();
}

function checkEmbed(errors: FormErrors, at: readonly (string | number)[], embed: Json): void {
  longest(errors, [...at, 'title'], embed['title'], 256);
  longest(errors, [...at, 'description'], embed['description'], 4096);
  longest(errors, [...at, 'footer', 'text'], member(embed, 'footer')['text'], 2048);
  longest(errors, [...at, 'author', 'name'], member(embed, 'author')['name'], 256);
  for (const name of ['url', 'image', 'thumbnail']) {
    const url = name === 'url' ? embed['url'] : member(embed, name)['url'];
    const path = name === 'url' ? [...at, 'url'] : [...at, name, 'url'];
    if (url !== undefined && !isUrl(url)) errors.add(path, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
  }
  const { color } = embed;
  if (color !== undefined && (typeof color !== 'number' || color < 0 || color > 0xffffff)) {
    errors.add([...at, 'color'], 'NUMBER_TYPE_MAX', 'int value should be less than or equal to 16777215.');
  }
  const fields = list(embed['fields']);
  if (fields.length > 25)
    errors.add([...at, 'fields'], 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.');
  fields.forEach((field, index) => {
    required(errors, [...at, 'fields', index, 'name'], field['name'], 256);
    required(errors, [...at, 'fields', index, 'value'], field['value'], 1024);
  });
  if (embedLength(embed) === 0 && embed['image'] === undefined && embed['thumbnail'] === undefined) {
    errors.add([...at, 'description'], 'BASE_TYPE_REQUIRED', 'This field is required');
  }
}

function checkRow(errors: FormErrors, at: readonly (string | number)[], row: Json): void {
  const parts = list(row['components']);
  if (parts.length < 1 || parts.length > 5) {
    errors.add([...at, 'components'], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
  }
  parts.forEach((part, index) => {
    if (part['type'] !== 2) return;
    const path = [...at, 'components', index];
    longest(errors, [...path, 'label'], part['label'], 80);
    if (part['style'] === 5) {
      if (!isUrl(part['url'])) errors.add([...path, 'url'], 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
    } else {
      required(errors, [...path, 'custom_id'], part['custom_id'], 100);
    }
  });
}

function embedLength(embed: Json): number {
  const texts = [
    embed['title'],
    embed['description'],
    member(embed, 'footer')['text'],
    member(embed, 'author')['name'],
    ...list(embed['fields']).flatMap((field) => [field['name'], field['value']]),
  ];
  return texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
}

function longest(errors: FormErrors, path: readonly (string | number)[], value: unknown, max: number): void {
  if (typeof value === 'string' && value.length > max) {
    errors.add(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
  }
}

function required(errors: FormErrors, path: readonly (string | number)[], value: unknown, max: number): void {
  if (typeof value !== 'string' || value === '')
    errors.add(path, 'BASE_TYPE_REQUIRED', 'This field is required');
  longest(errors, path, value, max);
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && /^(https?|attachment|discord):\/\//.test(value) && URL.canParse(value);
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

function member(value: Json, name: string): Json {
  const found = value[name];
  return typeof found === 'object' && found !== null ? (found as Json) : {};
}
