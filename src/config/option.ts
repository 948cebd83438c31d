import type { z } from 'zod';

/** One row of the table: everything there is to know about an option. */
export interface Option {
  /** Takes text (or a list of texts) and describes what it allows. */
  schema: z.ZodType;
  /** As an operator would write it. Without one, the option is `undefined` until it is set, or derived from others. */
  default?: string;
  /** What documentation says in place of a default that can't be written down. */
  defaultNote?: string;
  /** One sentence, with the unit. */
  meaning: string;
  /** How the value is hidden in messages: all of it, or only the password of a URL. */
  secret?: 'text' | 'url';
}
