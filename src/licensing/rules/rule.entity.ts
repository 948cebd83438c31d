import { defineEntity, p } from '@mikro-orm/core';

/** What a rule looks at. */
export const RULE_TYPES = ['version', 'ip', 'country', 'header', 'agent', 'time'] as const;
export type RuleType = (typeof RULE_TYPES)[number];

/** `allow`: at least one of its type must match; `deny` beats allow; `warn` only adds a warning to the verdict. */
export const RULE_ACTIONS = ['allow', 'deny', 'warn'] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];

const RuleSchema = defineEntity({
  name: 'Rule',
  tableName: 'rule',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    type: p.text().$type<RuleType>(),
    action: p.text().$type<RuleAction>(),
    /** Checked by the JSON Schema of its type when it is written. */
    config: p.json<Record<string, unknown>>(),
    /** Shown in the verdict in place of the code's own sentence. */
    message: p.text().nullable().strictNullable(),
    /** Holds for every product. */
    global: p.boolean().fieldName('is_global'),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class Rule extends RuleSchema.class {}

RuleSchema.setClass(Rule);
