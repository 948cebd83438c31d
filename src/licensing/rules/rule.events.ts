export const ruleEvents = ['rule.created', 'rule.updated', 'rule.deleted'] as const;
