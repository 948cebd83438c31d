import { defineScalar } from '../../platform/graphql/scalars.js';

const KEY = /^[\w.-]{1,64}$/;

/** The name of a variable within its owner. Every such text is a key like any other, `__proto__` too. */
export const VariableKeyScalar = defineScalar<string>({
  name: 'VariableKey',
  description: 'The key of a variable: 1–64 letters, digits, dots, dashes and underscores.',
  allowed: 'a string of 1–64 letters, digits, dots, dashes and underscores',
  jsonSchema: { type: 'string', pattern: '^[\\w.-]{1,64}$' },
  parse: (value) => (typeof value === 'string' && KEY.test(value) ? value : undefined),
});
