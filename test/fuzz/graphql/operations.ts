import { getNamedType, isLeafType, isNonNullType, isObjectType, isUnionType } from 'graphql';
import type {
  GraphQLArgument,
  GraphQLField,
  GraphQLInputType,
  GraphQLNamedType,
  GraphQLObjectType,
} from 'graphql';
import type { Vocabulary } from '../world.js';
import { literalOf } from './literal.js';
import { happens, oneOf, upTo, valueOf } from './values.js';
import type { Draw } from './values.js';

/** An operation, as a client sends it. */
export interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  /** What the field that it is about is called in the answer. */
  readonly responseName: string;
}

type Kind = 'query' | 'mutation' | 'subscription';
type Field = GraphQLField<unknown, unknown>;

const DEPTH_MAX = 4;

/** Writes one operation on a root field and, now and then, others beside it. */
export function writeOperation(
  draw: Draw,
  kind: Kind,
  root: GraphQLObjectType,
  field: Field,
  words: Vocabulary,
): Operation {
  const writer = new OperationWriter(draw, words);
  const beside = kind !== 'subscription' && happens(draw, 1, 5) ? [anyField(draw, root)] : [];
  const responseName = happens(draw, 1, 4) ? 'asked' : field.name;
  const parts = [
    writer.field(field, root, 1, responseName),
    // Always by another name: the same field with other arguments would be a conflict.
    ...beside.map((other) => writer.field(other, root, 1, 'beside')),
  ];
  const body = writer.wrapped(parts.join(' '), root);
  const operationName = happens(draw, 1, 2) ? 'Fuzz' : undefined;
  const definitions = writer.variableDefinitions();
  const isShort = kind === 'query' && operationName === undefined && definitions === '';
  const head = isShort ? '' : `${kind} ${operationName ?? ''}${definitions}`;
  return {
    query: [`${head} { ${body} }`, ...writer.fragments].join('\n'),
    variables: writer.variables,
    responseName,
    ...(operationName !== undefined && happens(draw, 2, 3) ? { operationName } : {}),
  };
}

function anyField(draw: Draw, root: GraphQLObjectType): Field {
  return oneOf(draw, Object.values(root.getFields()) as Field[]);
}

class OperationWriter {
  readonly variables: Record<string, unknown> = {};
  readonly fragments: string[] = [];
  readonly #definitions: string[] = [];
  readonly #draw: Draw;
  readonly #words: Vocabulary;

  constructor(draw: Draw, words: Vocabulary) {
    this.#draw = draw;
    this.#words = words;
  }

  /** `($v0: Name!, …)`, or nothing. */
  variableDefinitions(): string {
    return this.#definitions.length > 0 ? `(${this.#definitions.join(', ')})` : '';
  }

  field(field: Field, owner: GraphQLObjectType, depth: number, responseName: string): string {
    const alias = responseName === field.name ? '' : `${responseName}: `;
    const args = field.args.flatMap((arg) => this.#argument(arg));
    const given = args.length > 0 ? `(${args.join(', ')})` : '';
    // A root field that is skipped would test nothing.
    const directive = depth > 1 ? this.#directive() : '';
    const inner = this.#selection(getNamedType(field.type), depth + 1);
    return this.wrapped(`${alias}${field.name}${given}${directive}${inner}`, owner);
  }

  /** As it is, or by a fragment. */
  wrapped(text: string, owner: GraphQLObjectType): string {
    const draw = this.#draw;
    if (!happens(draw, 1, 8)) return text;
    if (happens(draw, 1, 2)) {
      const on = happens(draw, 1, 2) ? ` on ${owner.name}` : '';
      return `...${on}${happens(draw, 1, 4) ? ' @include(if: true)' : ''} { ${text} }`;
    }
    const name = `F${this.fragments.length}`;
    this.fragments.push(`fragment ${name} on ${owner.name} { ${text} }`);
    return `...${name}`;
  }

  #selection(type: GraphQLNamedType, depth: number): string {
    if (isLeafType(type)) return '';
    const draw = this.#draw;
    if (isUnionType(type)) {
      const members = type
        .getTypes()
        .map((member) => `... on ${member.name} ${this.#selection(member, depth)}`);
      return ` { __typename ${members.join(' ')} }`;
    }
    if (!isObjectType(type)) return '';
    const all = Object.values(type.getFields()) as Field[];
    const open = all.filter((field) => depth < DEPTH_MAX || isLeafType(getNamedType(field.type)));
    const names = new Set(
      Array.from({ length: 1 + upTo(draw, 4) }, () => (open.length === 0 ? -1 : upTo(draw, open.length - 1))),
    );
    const fields = [...names].flatMap((at, n) => {
      const field = open[at];
      return field
        ? [this.field(field, type, depth, happens(draw, 1, 5) ? `a${depth}${n}` : field.name)]
        : [];
    });
    if (fields.length === 0 || happens(draw, 1, 10)) fields.push('__typename');
    return ` { ${fields.join(' ')} }`;
  }

  #argument(arg: GraphQLArgument): string[] {
    const draw = this.#draw;
    const isRequired = isNonNullType(arg.type) && arg.defaultValue === undefined;
    // A page of the default size in a page of the default size soon costs too much.
    const isWanted = isRequired
      ? happens(draw, 29, 30)
      : happens(draw, arg.name === 'first' ? 3 : 1, arg.name === 'first' ? 4 : 3);
    if (!isWanted) return [];
    const value = valueOf(draw, arg.name, arg.type, this.#words);
    const isVariable = happens(draw, 1, 2);
    const text = isVariable
      ? this.#variable(value, arg.type)
      : literalOf(value, arg.type, (member, type) =>
          happens(draw, 1, 8) ? this.#variable(member, type) : undefined,
        );
    return [`${arg.name}: ${text}`];
  }

  #variable(value: unknown, type: GraphQLInputType): string {
    const draw = this.#draw;
    const name = `v${this.#definitions.length}`;
    const fallback =
      !isNonNullType(type) && happens(draw, 1, 8) ? ` = ${literalOf(value, type, () => undefined)}` : '';
    this.#definitions.push(`$${name}: ${String(type)}${fallback}`);
    if (fallback === '' || happens(draw, 1, 2)) this.variables[name] = value;
    return `$${name}`;
  }

  #directive(): string {
    const draw = this.#draw;
    if (!happens(draw, 1, 12)) return '';
    const name = oneOf(draw, ['skip', 'include']);
    if (happens(draw, 1, 2)) return ` @${name}(if: ${String(happens(draw, 1, 2))})`;
    const variable = `v${this.#definitions.length}`;
    this.#definitions.push(`$${variable}: Boolean!`);
    this.variables[variable] = happens(draw, 1, 2);
    return ` @${name}(if: $${variable})`;
  }
}
