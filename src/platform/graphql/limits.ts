import { GraphQLError, Kind } from 'graphql';
import type { ASTVisitor, FieldNode, SelectionNode, SelectionSetNode, ValidationContext } from 'graphql';

/** Bounds on what one operation may ask for; beyond them it is refused before anything runs. */
export const GRAPHQL_LIMITS = {
  depthMax: 12,
  aliasesOfOneFieldMax: 20,
  tokensMax: 4_000,
  /** Fields and fragments, each fragment counted wherever it is spread. */
  selectionsMax: 5_000,
  complexityMax: 50_000,
} as const;

/** What a selection set comes to with its fragments in place. */
interface Extent {
  readonly depth: number;
  readonly selections: number;
}

/**
 * Refuses operations deeper than {@link GRAPHQL_LIMITS}.depthMax or, with every fragment in its place, larger than
 * {@link GRAPHQL_LIMITS}.selectionsMax. Introspection, which is deep by nature, has graphql-js' own rule.
 */
export function extentLimit(context: ValidationContext): ASTVisitor {
  const measure = measurer(context);
  return {
    OperationDefinition(operation) {
      const { depth, selections } = measure(operation.selectionSet);
      const { depthMax, selectionsMax } = GRAPHQL_LIMITS;
      if (depth > depthMax) {
        const message = `The operation is ${depth} levels deep; allowed are ${depthMax}`;
        context.reportError(tooMuch(message, 'DEPTH'));
      }
      if (selections > selectionsMax) {
        const message = `The operation asks for more than ${selectionsMax} fields`;
        context.reportError(tooMuch(message, 'SELECTIONS'));
      }
    },
  };
}

/** Measures each fragment once: a few that spread each other twice would otherwise take longer than anyone waits. */
function measurer(context: ValidationContext): (selections: SelectionSetNode) => Extent {
  const fragments = new Map<string, Extent>();
  const nothing: Extent = { depth: 0, selections: 0 };

  const ofFragment = (name: string): Extent => {
    const known = fragments.get(name);
    if (known) return known;
    // Fragments that spread themselves are another rule's error; here they only must not loop.
    fragments.set(name, nothing);
    const fragment = context.getFragment(name);
    const extent = fragment ? ofSet(fragment.selectionSet) : nothing;
    fragments.set(name, extent);
    return extent;
  };
  const ofSelection = (selection: SelectionNode): Extent => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) return ofSet(selection.selectionSet);
    if (selection.name.value.startsWith('__')) return nothing;
    const below = selection.selectionSet ? ofSet(selection.selectionSet) : nothing;
    return { ...below, depth: below.depth + 1 };
  };
  const ofSet = ({ selections }: SelectionSetNode): Extent =>
    selections.map(ofSelection).reduce(
      (all, each) => ({
        depth: Math.max(all.depth, each.depth),
        selections: all.selections + each.selections + 1,
      }),
      nothing,
    );
  return ofSet;
}

/** Refuses one selection that names the same field more than {@link GRAPHQL_LIMITS}.aliasesOfOneFieldMax times. */
export function aliasLimit(context: ValidationContext): ASTVisitor {
  return {
    SelectionSet(selections) {
      const counts = new Map<string, number>();
      for (const field of fieldsOf(selections, context, new Set())) {
        const count = (counts.get(field.name.value) ?? 0) + 1;
        counts.set(field.name.value, count);
        if (count !== GRAPHQL_LIMITS.aliasesOfOneFieldMax + 1) continue;
        const message = `The field '${field.name.value}' is asked for more than ${GRAPHQL_LIMITS.aliasesOfOneFieldMax} times`;
        context.reportError(tooMuch(message, 'ALIASES', field));
      }
    },
  };
}

/** The fields of a selection, those that come by fragments too; a fragment counts once, as for the executor. */
function* fieldsOf(
  { selections }: SelectionSetNode,
  context: ValidationContext,
  spread: Set<string>,
): Generator<FieldNode> {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      yield selection;
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      yield* fieldsOf(selection.selectionSet, context, spread);
    } else if (!spread.has(selection.name.value)) {
      spread.add(selection.name.value);
      const fragment = context.getFragment(selection.name.value);
      if (fragment) yield* fieldsOf(fragment.selectionSet, context, spread);
    }
  }
}

function tooMuch(message: string, limit: string, node?: FieldNode): GraphQLError {
  return new GraphQLError(message, {
    ...(node ? { nodes: [node] } : {}),
    extensions: { code: 'QUERY_TOO_COMPLEX', limit },
  });
}
