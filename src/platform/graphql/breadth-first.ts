import type { RequestContext } from './request-context.js';
import type { FieldPlan, SelectionPlan, ValuePlan } from './selection-plan.js';

type Answer = Record<string, unknown>;
type MaybePromise<T> = T | Promise<T>;

/** Something did not go as a plan says: an error, a null where none may be, a value of another kind than its type's. */
export class Irregular extends Error {}

/**
 * Answers a selection a field at a time over all objects of a list, where graphql-js goes object by object: the
 * resolvers of a field run together, what they wait for is waited for once, and an answer has its place from the
 * start. Rejects with {@link Irregular} instead of telling what went wrong and where: graphql-js tells that.
 */
export async function answerBreadthFirst(selection: SelectionPlan, ctx: RequestContext): Promise<Answer> {
  try {
    const [answer = {}] = await answersOf(selection, [undefined], ctx);
    return answer;
  } catch (error) {
    throw error instanceof Irregular ? error : new Irregular('A resolver failed', { cause: error });
  }
}

/** One answer for each source, in their order. */
function answersOf(
  { fields }: SelectionPlan,
  sources: readonly unknown[],
  ctx: RequestContext,
): MaybePromise<Answer[]> {
  // With all members in place, so that they stay in the order that was asked for, whichever is there first.
  const blank: Answer = Object.fromEntries(fields.map(({ name }) => [name, null]));
  const answers = sources.map(() => ({ ...blank }));
  const waiting: Promise<void>[] = [];
  try {
    for (const field of fields) {
      const values = valuesOf(field, sources, ctx);
      const place = (completed: readonly unknown[]) => {
        const { name } = field;
        for (let at = 0; at < answers.length; at++) (answers[at] as Answer)[name] = completed[at];
      };
      const completed =
        values instanceof Promise
          ? values.then((all) => complete(field.value, all, ctx))
          : complete(field.value, values, ctx);
      if (completed instanceof Promise) waiting.push(completed.then(place));
      else place(completed);
    }
  } catch (error) {
    unheard(waiting);
    throw error;
  }
  return waiting.length === 0 ? answers : Promise.all(waiting).then(() => answers);
}

function valuesOf(
  { resolve, resolveAll, args, info }: FieldPlan,
  sources: readonly unknown[],
  ctx: RequestContext,
): MaybePromise<readonly unknown[]> {
  if (resolveAll) return resolveAll(ctx, sources);
  const values: unknown[] = [];
  let isWaiting = false;
  try {
    for (const source of sources) {
      const value: unknown = resolve(source, args, ctx, info);
      isWaiting ||= isPromiseLike(value);
      values.push(value);
    }
  } catch (error) {
    unheard(values);
    throw error;
  }
  return isWaiting ? Promise.all(values) : values;
}

/** Turns what resolvers gave into what is answered. */
function complete(plan: ValuePlan, given: readonly unknown[], ctx: RequestContext): MaybePromise<unknown[]> {
  const values = [...given];
  if (plan.kind === 'leaf') {
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      values[at] = value == null ? absent(plan) : serialized(plan.serialize(value), value);
    }
    return values;
  }
  const places: number[] = [];
  const present: unknown[] = [];
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value == null) {
      values[at] = absent(plan);
    } else {
      if (value instanceof Error) throw new Irregular('A resolver gave an error', { cause: value });
      places.push(at);
      present.push(value);
    }
  }
  if (present.length === 0) return values;
  const put = (completed: readonly unknown[]) => {
    places.forEach((place, at) => (values[place] = completed[at]));
    return values;
  };
  const completed =
    plan.kind === 'object' ? answersOf(plan.selection, present, ctx) : completeLists(plan.item, present, ctx);
  return completed instanceof Promise ? completed.then(put) : put(completed);
}

/** The items of all lists are completed together. */
function completeLists(
  item: ValuePlan,
  lists: readonly unknown[],
  ctx: RequestContext,
): MaybePromise<unknown[][]> {
  const items: unknown[] = [];
  let isWaiting = false;
  for (const list of lists) {
    if (!Array.isArray(list)) throw new Irregular('A list is no array');
    for (const each of list) {
      isWaiting ||= isPromiseLike(each);
      items.push(each);
    }
  }
  const divide = (completed: readonly unknown[]) => {
    let from = 0;
    return (lists as unknown[][]).map(({ length }) => completed.slice(from, (from += length)));
  };
  const completed = isWaiting
    ? Promise.all(items).then((all) => complete(item, all, ctx))
    : complete(item, items, ctx);
  return completed instanceof Promise ? completed.then(divide) : divide(completed);
}

function absent({ isNullable }: ValuePlan): null {
  if (isNullable) return null;
  throw new Irregular('A value that must be there is not');
}

function serialized(answer: unknown, value: unknown): unknown {
  if (answer == null || value instanceof Error) throw new Irregular('A value is not of its type');
  return answer;
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}

/** Nobody waits for these any more, and a rejection that nobody hears ends the process. */
function unheard(values: readonly unknown[]): void {
  for (const value of values) if (isPromiseLike(value)) value.then(undefined, () => undefined);
}
