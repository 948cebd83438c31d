import { defineScalar, isLine } from '../../platform/graphql/scalars.js';

/** A license key as it is chosen at creation: 6–255 characters. */
export const LicenseKeyScalar = defineScalar<string>({
  name: 'LicenseKey',
  description: 'A license key of 6–255 printable characters.',
  allowed: 'a string of 6–255 characters without control characters or spaces at its ends',
  jsonSchema: { type: 'string', minLength: 6, maxLength: 255 },
  // Half of a surrogate pair would be stored as another character.
  parse: (value) => (isLine(value, 6) && value.isWellFormed() ? value : undefined),
});
