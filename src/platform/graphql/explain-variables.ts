import { coerceInputValue, getNamedType, isEnumType, isInputType, isNonNullType, typeFromAST } from 'graphql';
import type { GraphQLInputType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { pointer, show } from '../errors.js';
import type { FieldProblem } from '../errors.js';

/** Variables in the terms of the caller: problems with JSON pointers relative to the variables object. */
export type Variables = Readonly<Record<string, unknown>>;

/** As many as anyone reads: thousands of records may come at once, each with the same mistake. */
const PROBLEMS_MAX = 100;

/**
 * What is wrong with an operation's variables, each problem with its pointer, the value and what is allowed. Runs
 * only after the executor refused them, or ahead of a `/graphql` request; the hot path never pays for it.
 */
export function explainVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Variables,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const definition of operation.variableDefinitions ?? []) {
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) continue;
    const name = definition.variable.name.value;
    if (!Object.hasOwn(variables, name) || variables[name] === undefined) {
      const isMissing = isNonNullType(type) && !definition.defaultValue;
      if (isMissing)
        problems.push({ pointer: pointer(name), code: 'INVALID_FIELD', detail: `${name} is required` });
      continue;
    }
    problems.push(...explainValue(name, type, variables[name]));
  }
  return problems.slice(0, PROBLEMS_MAX);
}

function explainValue(name: string, type: GraphQLInputType, value: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  coerceInputValue(value, type, (path, invalid, error) => {
    if (problems.length === PROBLEMS_MAX) return;
    const full = [name, ...path];
    const [, unknownField] = /^Field "(.+?)" is not defined by type/.exec(error.message) ?? [];
    const [, missingField] = /^Field "(.+?)" of required type/.exec(error.message) ?? [];
    if (unknownField !== undefined) {
      const at = [...full, unknownField];
      problems.push({
        pointer: pointer(...at),
        code: 'UNKNOWN_FIELD',
        detail: `${at.join('.')} is not a known field`,
      });
    } else if (missingField !== undefined) {
      const at = [...full, missingField];
      problems.push({
        pointer: pointer(...at),
        code: 'INVALID_FIELD',
        detail: `${at.join('.')} is required`,
      });
    } else {
      const detail = `${full.join('.')} ${explainLeaf(typeAt(type, path), invalid, error.message)}`;
      problems.push({ pointer: pointer(...full), code: 'INVALID_FIELD', detail });
    }
  });
  return problems;
}

const BUILT_IN: Readonly<Record<string, string>> = {
  String: 'a string',
  Int: 'a whole number of 32 bits',
  Float: 'a number',
  Boolean: 'true or false',
  ID: 'a string or a whole number',
};

function explainLeaf(type: GraphQLInputType | undefined, value: unknown, message: string): string {
  if (value === null) return 'must not be null';
  const leaf = type && getNamedType(type);
  if (isEnumType(leaf)) {
    const names = leaf.getValues().map((item) => item.name);
    return `must be one of ${names.join(', ')}; got ${show(value)}`;
  }
  if (leaf && leaf.name in BUILT_IN) return `must be ${BUILT_IN[leaf.name] ?? ''}; got ${show(value)}`;
  if (message.startsWith('must be')) return message;
  return `is not valid: ${message}`;
}

function typeAt(type: GraphQLInputType, path: readonly (string | number)[]): GraphQLInputType | undefined {
  let at: unknown = type;
  for (const part of path) {
    const named = getNamedType(at as GraphQLInputType);
    if (typeof part === 'number') continue;
    at = 'getFields' in named ? named.getFields()[part]?.type : undefined;
    if (at === undefined) return undefined;
  }
  return at as GraphQLInputType;
}
