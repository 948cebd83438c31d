import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { flushUnique } from '../../platform/db/flush-unique.js';
import { nextName } from '../../platform/db/next-name.js';
import { AlreadyExists, InvalidField, NotFound, invalidFields } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import type { EventData } from '../../platform/events/emit.js';
import { isUpdated } from '../custom-fields/named-record.service.js';
import { emit } from '../events.js';
import { removeDetached } from '../products/product-attachment.service.js';
import { INERT_CONFIG, configProblems } from './rule-config.rules.js';
import { Rule } from './rule.entity.js';
import type { RuleAction, RuleType } from './rule.entity.js';

interface RuleFields {
  readonly type?: RuleType | null;
  readonly action?: RuleAction | null;
  /** Replaced as a whole; checked by the type's schema. */
  readonly config?: Readonly<Record<string, unknown>> | null;
  /** Null: none. */
  readonly message?: string | null;
  readonly global?: boolean | null;
}

export interface RuleInput extends RuleFields {
  /** Generated (`rule-7`) when absent. */
  readonly name?: string | null;
}

export interface RuleChange extends RuleFields {
  readonly newName?: string | null;
}

/** Creates a rule; `{}` makes one that does nothing, attached to nothing, until it is completed. */
export async function createRule(em: EntityManager, ctx: ActionContext, input: RuleInput): Promise<Rule> {
  const type = input.type ?? 'version';
  const config = checkConfig(type, input.config ?? inertConfig(type));
  const identity = input.name == null ? await nextName(em, 'rule') : { name: input.name };
  const now = ctx.clock.now();
  const rule = em.create(Rule, {
    ...identity,
    type,
    action: input.action ?? 'allow',
    config,
    message: input.message ?? null,
    global: input.global ?? false,
    createdAt: now,
    updatedAt: now,
  });
  em.persist(rule);
  await flushUnique(em, () => new AlreadyExists('rule', identity.name));
  await emit(em, ctx, 'rule.created', {
    resource: refOf(rule),
    changes: diff({}, viewOf(rule)),
    data: dataOf(rule),
  });
  return rule;
}

/** Changes what was sent. The config must fit the type that comes out, also when only the type is changed. */
export async function updateRule(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
  change: RuleChange,
): Promise<Rule> {
  const rule = await findRuleForUpdate(em, name);
  const before = viewOf(rule);
  if (change.type != null) rule.type = change.type;
  if (change.action != null) rule.action = change.action;
  if (change.config != null) rule.config = { ...change.config };
  if (change.message !== undefined) rule.message = change.message;
  if (change.global != null) rule.global = change.global;
  if (change.newName != null) rule.name = change.newName;
  if (change.type != null || change.config != null) checkConfig(rule.type, rule.config);
  await flushUnique(em, () => new AlreadyExists('rule', rule.name));
  const changes = diff(before, viewOf(rule));
  if (await isUpdated(em, ctx, rule, changes)) {
    await emit(em, ctx, 'rule.updated', { resource: refOf(rule), changes, data: dataOf(rule) });
  }
  return rule;
}

/** Deletes the rule; products lose it, each with its event. */
export async function deleteRule(em: EntityManager, ctx: ActionContext, name: string): Promise<void> {
  const rule = await findRuleForUpdate(em, name);
  const last = { resource: refOf(rule), data: dataOf(rule) };
  await removeDetached(em, ctx, 'rule', rule);
  await emit(em, ctx, 'rule.deleted', last);
}

/** Throws `RULE_NOT_FOUND`. Locked, so that two changes at once don't undo each other. */
export async function findRuleForUpdate(em: EntityManager, name: string): Promise<Rule> {
  const rule = await em.findOne(Rule, { name }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!rule) throw new NotFound('rule', name);
  return rule;
}

/** Only a version rule has a config that does nothing; of another type, none at all would be a guess. */
function inertConfig(type: RuleType): Readonly<Record<string, unknown>> {
  if (type === 'version') return INERT_CONFIG;
  throw new InvalidField('config', `is required for type ${type}`);
}

function checkConfig(type: RuleType, config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const [first, ...others] = configProblems(type, config);
  if (first) throw invalidFields([first, ...others]);
  return { ...config };
}

function viewOf({ name, type, action, config, message, global }: Rule): Record<string, unknown> {
  return { name, type, action, config, message, global };
}

/** As REST returns it. */
function dataOf(rule: Rule): EventData {
  const { id, createdAt, updatedAt } = rule;
  return { id, ...viewOf(rule), createdAt, updatedAt };
}

function refOf(rule: Rule) {
  return { type: 'rule', id: rule.name };
}
