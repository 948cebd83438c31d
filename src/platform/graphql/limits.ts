import { GraphQLError, Kind } from 'graphql';
import type {
  ASTVisitor,
  FieldNode,
  FragmentDefinitionNode,
  SelectionSetNode,
  ValidationContext,
} from 'graphql';

/** Bounds on what one operation may ask for; beyond them it is refused before anything runs. */
export const GRAPHQL_LIMITS = {
  depthMax: 12,
  aliasesOfOneFieldMax: 20,
  tokensMax: 4_000,
  complexityMax: 50_000,
} as const;

/** Refuses operations deeper than {@link GRAPHQL_LIMITS}.depthMax; introspection, which is deep by nature, aside. */
export function depthLimit(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      const depth = depthOf(operation.selectionSet, context, new Set());
      if (depth <= GRAPHQL_LIMITS.depthMax) return;
      context.reportError(
        tooMuch(`The operation is ${depth} levels deep; allowed are ${GRAPHQL_LIMITS.depthMax}`, 'DEPTH'),
      );
    },
  };
}

function depthOf(
  selections: SelectionSetNode,
  context: ValidationContext,
  seen: ReadonlySet<string>,
): number {
  let deepest = 0;
  for (const selection of selections.selections) {
    if (selection.kind === Kind.FIELD) {
      if (selection.name.value.startsWith('__')) continue;
      const below = selection.selectionSet ? depthOf(selection.selectionSet, context, seen) : 0;
      deepest = Math.max(deepest, 1 + below);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      deepest = Math.max(deepest, depthOf(selection.selectionSet, context, seen));
    } else {
      const fragment = unseen(context.getFragment(selection.name.value), seen);
      if (!fragment) continue;
      deepest = Math.max(
        deepest,
        depthOf(fragment.selectionSet, context, new Set([...seen, fragment.name.value])),
      );
    }
  }
  return deepest;
}

/** Fragments that spread themselves are another rule's error; here they only must not loop. */
function unseen(fragment: FragmentDefinitionNode | null | undefined, seen: ReadonlySet<string>) {
  return fragment && !seen.has(fragment.name.value) ? fragment : undefined;
}

/** Refuses one selection that names the same field more than {@link GRAPHQL_LIMITS}.aliasesOfOneFieldMax times. */
export function aliasLimit(context: ValidationContext): ASTVisitor {
  return {
    SelectionSet(selections) {
      const counts = new Map<string, number>();
      for (const field of fieldsOf(selections)) {
        const count = (counts.get(field.name.value) ?? 0) + 1;
        counts.set(field.name.value, count);
        if (count !== GRAPHQL_LIMITS.aliasesOfOneFieldMax + 1) continue;
        const message = `The field '${field.name.value}' is asked for more than ${GRAPHQL_LIMITS.aliasesOfOneFieldMax} times`;
        context.reportError(tooMuch(message, 'ALIASES', field));
      }
    },
  };
}

function fieldsOf(selections: SelectionSetNode): FieldNode[] {
  return selections.selections.filter((selection) => selection.kind === Kind.FIELD);
}

function tooMuch(message: string, limit: string, node?: FieldNode): GraphQLError {
  return new GraphQLError(message, {
    ...(node ? { nodes: [node] } : {}),
    extensions: { code: 'QUERY_TOO_COMPLEX', limit },
  });
}
