import type { Embed, OutgoingMessage } from './outgoing-message.js';

/** What a placeholder stands for; one that isn't given stays as it is. */
export interface PlaceholderValues {
  readonly user?: string;
  readonly server?: string;
  readonly channel?: string;
  readonly date?: string;
}

const PLACEHOLDER = /\{(user|server|channel|date)\}/g;

/** Puts values in place of `{user}`, `{server}`, `{channel}` and `{date}`, in every text of a message. */
export function fillPlaceholders(message: OutgoingMessage, values: PlaceholderValues): OutgoingMessage {
  // Once, and in one go: what a user is called is no placeholder again.
  const fill = <Text extends string | null | undefined>(text: Text) =>
    text?.replace(PLACEHOLDER, (all, name: keyof PlaceholderValues) => values[name] ?? all) as Text;
  const { content, embed } = message;
  return {
    ...message,
    ...(content != null && { content: fill(content) }),
    ...(embed && { embed: filledEmbed(embed, fill) }),
  };
}

function filledEmbed(embed: Embed, fill: <T extends string | null | undefined>(text: T) => T): Embed {
  const { title, description, author, footer, fields } = embed;
  return {
    ...embed,
    ...(title != null && { title: fill(title) }),
    ...(description != null && { description: fill(description) }),
    ...(author && { author: { ...author, name: fill(author.name) } }),
    ...(footer && { footer: { ...footer, text: fill(footer.text) } }),
    ...(fields && {
      fields: fields.map((field) => ({ ...field, name: fill(field.name), value: fill(field.value) })),
    }),
  };
}
