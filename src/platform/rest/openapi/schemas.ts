import type { JsonSchema } from './notes.js';

/** The named schemas of a document: each is made once, and referred to by its name. */
export class Schemas {
  readonly #made = new Map<string, JsonSchema>();

  /** A reference to the schema of this name, which is made if it isn't there. */
  ref(name: string, make: () => JsonSchema): JsonSchema {
    if (!this.#made.has(name)) {
      // Before it is made: an input may hold itself.
      this.#made.set(name, {});
      this.#made.set(name, make());
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** What a reference stands for; anything else is itself. */
  resolve(schema: JsonSchema): JsonSchema {
    const name = this.nameOf(schema);
    return name === undefined ? schema : (this.#made.get(name) ?? {});
  }

  /** Members that an object may lack, although the operation always has them. */
  makeOptional(schema: JsonSchema, members: readonly string[]): JsonSchema {
    const { required, ...object } = this.resolve(schema) as { required: string[] };
    const changed = { ...object, required: required.filter((name) => !members.includes(name)) };
    const name = this.nameOf(schema);
    if (name === undefined) return changed;
    this.#made.set(name, changed);
    return schema;
  }

  nameOf(schema: JsonSchema): string | undefined {
    return typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
  }

  /**
   * Those by name that `uses` refers to, directly or not, with the example of each. Throws for an example that belongs
   * to none.
   */
  withExamples(
    uses: unknown,
    examples: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, JsonSchema>> {
    const used = new Set<string>();
    const note = (value: unknown) => {
      for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        if (used.has(name)) continue;
        used.add(name);
        note(this.#made.get(name) ?? {});
      }
    };
    note(uses);
    const stray = Object.keys(examples).filter((name) => !used.has(name));
    if (stray.length > 0) throw new Error(`There is no schema of these examples: ${stray.join(', ')}`);
    const withExample = (name: string): JsonSchema =>
      examples[name] === undefined
        ? (this.#made.get(name) ?? {})
        : { ...this.#made.get(name), examples: [examples[name]] };
    return Object.fromEntries([...used].sort().map((name) => [name, withExample(name)]));
  }
}
