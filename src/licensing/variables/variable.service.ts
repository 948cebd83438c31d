import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { AlreadyExists, InvalidField, NotFound, failure } from '../../platform/errors.js';
import { emit } from '../events.js';
import { lockForCounting, ownerName } from './variable-owner.repository.js';
import type { VariableOwner } from './variable-owner.repository.js';
import { Variable } from './variable.entity.js';
import { hasVariable, insertVariable, removeVariable, updateVariableValue } from './variable.repository.js';
import { USER_KEYS_MAX, loggedValue, valueProblem } from './variable.rules.js';

export interface VariableInput {
  readonly key: string;
  /** Any JSON value, null included; undefined where it was not sent. */
  readonly value?: unknown;
}

/** Adds a variable. Throws `ALREADY_EXISTS` (409), or `LIMIT_REACHED` (409) for an owner that may have no more. */
export async function createVariable(
  em: EntityManager,
  ctx: ActionContext,
  owner: VariableOwner,
  input: VariableInput,
): Promise<Variable> {
  const value = checkValue(input);
  const id = await tryCreate(em, ctx, owner, { key: input.key, value });
  if (id === undefined) throw new AlreadyExists('variable', input.key);
  return readVariable(em, id);
}

/** Sets the value of a variable that is there, `null` when none was sent; throws `VARIABLE_NOT_FOUND`. */
export async function updateVariable(
  em: EntityManager,
  ctx: ActionContext,
  owner: VariableOwner,
  { key, value = null }: VariableInput,
): Promise<Variable> {
  const id = await tryUpdate(em, ctx, owner, { key, value: checkValue({ key, value }) });
  if (id === undefined) throw new NotFound('variable', key);
  return readVariable(em, id);
}

/** Sets the value, whether the variable is there or not; `created` tells which it was. */
export async function setVariable(
  em: EntityManager,
  ctx: ActionContext,
  owner: VariableOwner,
  input: VariableInput,
): Promise<{ readonly variable: Variable; readonly created: boolean }> {
  const write = { key: input.key, value: checkValue(input) };
  // Between the two steps somebody else may have added or deleted it; each round again needs such a change.
  for (;;) {
    const updated = await tryUpdate(em, ctx, owner, write);
    if (updated !== undefined) return { variable: await readVariable(em, updated), created: false };
    const created = await tryCreate(em, ctx, owner, write);
    if (created !== undefined) return { variable: await readVariable(em, created), created: true };
  }
}

/** Throws `VARIABLE_NOT_FOUND`. */
export async function deleteVariable(
  em: EntityManager,
  ctx: ActionContext,
  owner: VariableOwner,
  key: string,
): Promise<void> {
  const removed = await removeVariable(em, owner, key);
  if (!removed) throw new NotFound('variable', key);
  await emit(em, ctx, 'variable.deleted', {
    resource: refOf(owner, key),
    changes: { value: [loggedValue(removed.value), null] },
    data: dataOf(em, owner, { key, value: removed.value }),
  });
}

type Write = Required<VariableInput>;

/** The new variable's id; undefined when the key is taken. */
async function tryCreate(
  em: EntityManager,
  ctx: ActionContext,
  owner: VariableOwner,
  { key, value }: Write,
): Promise<number | undefined> {
  const write = { owner, key, value, now: ctx.clock.now() };
  const isLimited = owner.scope === 'user';
  if (isLimited) await lockForCounting(em, owner);
  const id = await insertVariable(em, write, isLimited ? { keysMax: USER_KEYS_MAX } : {});
  if (id === undefined) {
    if (isLimited && !(await hasVariable(em, owner, key))) {
      throw failure('LIMIT_REACHED', `A license may have ${USER_KEYS_MAX} user variables, and has them`);
    }
    return undefined;
  }
  await emit(em, ctx, 'variable.created', {
    resource: refOf(owner, key),
    changes: { value: [null, loggedValue(value)] },
    data: dataOf(em, owner, { key, value }),
  });
  return id;
}

/** The variable's id; undefined when there is none. */
async function tryUpdate(
  em: EntityManager,
  ctx: ActionContext,
  owner: VariableOwner,
  { key, value }: Write,
): Promise<number | undefined> {
  const changed = await updateVariableValue(em, { owner, key, value, now: ctx.clock.now() });
  if (changed?.isChanged) {
    await emit(em, ctx, 'variable.updated', {
      resource: refOf(owner, key),
      changes: { value: [loggedValue(changed.before), loggedValue(value)] },
      data: dataOf(em, owner, { key, value }),
    });
  }
  return changed?.id;
}

function checkValue({ value }: VariableInput): unknown {
  if (value === undefined) throw new InvalidField('value', 'is required; null is a value, too');
  const problem = valueProblem(value);
  if (problem !== undefined) throw new InvalidField('value', problem);
  return value;
}

function readVariable(em: EntityManager, id: number): Promise<Variable> {
  return em.findOneOrFail(Variable, id, { refresh: true });
}

/** As REST returns it. */
function dataOf(em: EntityManager, owner: VariableOwner, { key, value }: Write) {
  return async () => ({ scope: owner.scope, owner: await ownerName(em, owner), key, value });
}

function refOf({ scope, label }: VariableOwner, key: string) {
  return { type: 'variable', id: [scope, ...(label === '' ? [] : [label]), key].join('/') };
}
