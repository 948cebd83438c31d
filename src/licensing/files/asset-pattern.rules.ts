import { compilePattern } from '../rules/rule-pattern.rules.js';

const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/**
 * Whether an asset's name is meant by a name or a pattern: `*` is any run of characters, `?` any one, `{zip,jar}` one
 * of several; everything else is itself, case included. Compiled for the engine that matches in linear time
 * (docs/decisions/0007). Throws a PatternError that says why a pattern is none.
 */
export function assetMatcher(pattern: string): (name: string) => boolean {
  const compiled = compilePattern(`^(?s:${expressionOf(pattern)})$`);
  return (name) => compiled.test(name);
}

function expressionOf(pattern: string): string {
  const parts = pattern.split(/(\*+|\?|\{[^{}]*\})/);
  // What the pattern of the split captured stands at odd places.
  return parts.map((part, index) => (index % 2 === 0 ? literal(part) : wildcard(part))).join('');
}

function wildcard(part: string): string {
  if (part.startsWith('*')) return '.*';
  if (part === '?') return '.';
  return `(?:${part.slice(1, -1).split(',').map(expressionOf).join('|')})`;
}

function literal(text: string): string {
  return text.replaceAll(SPECIAL, '\\$&');
}
