import { compileRule } from './rule.rules.js';
import type { CompiledRule, RuleFacts } from './rule.rules.js';

/** Compiled rules kept by this process; the one used longest ago goes first. */
const COMPILED_MAX = 1000;

const compiled = new Map<string, CompiledRule>();

/**
 * {@link compileRule}, once for each state of a rule: parsing ranges and patterns takes longer than a whole validation.
 * The state is the id, `updatedAt` and the content too, since two changes can fall into one millisecond.
 */
export function compiledRule(facts: RuleFacts, updatedAt: string): CompiledRule {
  const { id, name, type, action, config, message } = facts;
  const state = JSON.stringify([id, updatedAt, name, type, action, message, config]);
  const known = compiled.get(state);
  const rule = known ?? compileRule(facts);
  // Put last again: a Map keeps the order of insertion.
  if (known) compiled.delete(state);
  compiled.set(state, rule);
  if (compiled.size > COMPILED_MAX) {
    const [oldest] = compiled.keys();
    if (oldest !== undefined) compiled.delete(oldest);
  }
  return rule;
}
