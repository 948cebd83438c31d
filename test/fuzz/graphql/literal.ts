import { isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { GraphQLInputType } from 'graphql';

const NAME = /^[_A-Za-z]\w*$/;

/** A JSON value as GraphQL writes it. `hoist` may put a variable in the place of any value within. */
export function literalOf(
  value: unknown,
  type: GraphQLInputType | undefined,
  hoist: (value: unknown, type: GraphQLInputType) => string | undefined,
): string {
  if (type && isNonNullType(type)) return literalOf(value, type.ofType, hoist);
  if (typeof value === 'string') {
    // What is no name can't be an enum's value, and is written as text, which is wrong there.
    return isEnumType(type) && NAME.test(value) ? value : JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    const inner = isListType(type) ? (type.ofType as GraphQLInputType) : undefined;
    return `[${value.map((each) => literalOf(each, inner, hoist)).join(', ')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = isInputObjectType(type) ? type.getFields() : {};
  const members = Object.entries(value).map(([name, member]) => {
    const inner = fields[name]?.type;
    return `${name}: ${(inner && hoist(member, inner)) ?? literalOf(member, inner, hoist)}`;
  });
  return `{${members.join(', ')}}`;
}
