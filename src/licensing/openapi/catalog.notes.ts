import type { RouteNotes } from '../../platform/rest/openapi/notes.js';
import { IDENTITY, JSON_VALUE, RULE_CONFIG } from './members.js';

/** What is sold, and what restricts it. */
export const catalogNotes: Readonly<Record<string, RouteNotes>> = {
  'POST /whitelists': {
    summary: 'Create a whitelist',
    body: { name: 'hwid', type: 'field', field: 'hwid', limit: 2 },
    fields: { limit: { minimum: -1, maximum: 1000, default: 1 } },
    codes: ['ALREADY_EXISTS'],
  },
  'GET /whitelists': { summary: 'List whitelists', parameters: { name: 'hwid' } },
  'PATCH /whitelists': {
    summary: 'Change a whitelist',
    description: 'A list that licenses hold values on can not become one of type `ip`: 409 `IN_USE`.',
    body: { name: 'hwid', limit: 3 },
    fields: { limit: { minimum: -1, maximum: 1000 } },
    codes: ['WHITELIST_NOT_FOUND', 'ALREADY_EXISTS', 'IN_USE'],
  },
  'DELETE /whitelists': {
    summary: 'Delete a whitelist',
    body: { name: 'hwid' },
    codes: ['WHITELIST_NOT_FOUND'],
  },
  'POST /addons': {
    summary: 'Create an addon',
    body: { name: 'Worlds' },
    codes: ['ALREADY_EXISTS'],
  },
  'GET /addons': { summary: 'List addons' },
  'PATCH /addons': {
    summary: 'Change an addon',
    body: { name: 'Worlds', new_name: 'More worlds' },
    codes: ['ADDON_NOT_FOUND', 'ALREADY_EXISTS'],
  },
  'DELETE /addons': {
    summary: 'Delete an addon',
    body: { name: 'More worlds' },
    codes: ['ADDON_NOT_FOUND', 'IN_USE'],
  },
  'POST /products': {
    summary: 'Create a product',
    body: { name: 'Plot Guard', session_ttl: 900 },
    fields: { session_ttl: { minimum: 60, maximum: 86400 } },
    codes: ['ALREADY_EXISTS'],
  },
  'GET /products': { summary: 'List products' },
  'PATCH /products': {
    summary: 'Change a product',
    body: { name: 'Plot Guard', session_ttl: 600 },
    fields: { session_ttl: { minimum: 60, maximum: 86400 } },
    codes: ['PRODUCT_NOT_FOUND', 'ALREADY_EXISTS'],
  },
  'DELETE /products': {
    summary: 'Delete a product',
    body: { name: 'Plot Guard', force: true },
    codes: ['PRODUCT_NOT_FOUND', 'IN_USE'],
  },
  'POST /addons/attach': {
    summary: 'Give a product an addon',
    body: { addon: 'More worlds', product: 'Plot Guard' },
    codes: ['ADDON_NOT_FOUND', 'PRODUCT_NOT_FOUND'],
  },
  'POST /addons/detach': {
    summary: 'Take an addon from a product',
    body: { addon: 'More worlds', product: 'Plot Guard' },
    codes: ['ADDON_NOT_FOUND', 'PRODUCT_NOT_FOUND'],
  },
  'POST /whitelists/attach': {
    summary: 'Enforce a whitelist for a product',
    body: { whitelist: 'hwid', product: 'Plot Guard' },
    codes: ['WHITELIST_NOT_FOUND', 'PRODUCT_NOT_FOUND'],
  },
  'POST /whitelists/detach': {
    summary: 'Take a whitelist from a product',
    body: { whitelist: 'hwid', product: 'Plot Guard' },
    codes: ['WHITELIST_NOT_FOUND', 'PRODUCT_NOT_FOUND'],
  },
  'POST /rules': {
    summary: 'Create a rule',
    body: { name: 'since-1.2', type: 'version', action: 'allow', config: { range: '>=1.2.0' } },
    fields: { config: RULE_CONFIG },
    codes: ['ALREADY_EXISTS'],
  },
  'GET /rules': { summary: 'List rules', parameters: { name: 'since-1.2' } },
  'PATCH /rules': {
    summary: 'Change a rule',
    body: { name: 'since-1.2', message: 'Please update to 1.2 or newer.' },
    fields: { config: RULE_CONFIG },
    codes: ['RULE_NOT_FOUND', 'ALREADY_EXISTS'],
  },
  'DELETE /rules': { summary: 'Delete a rule', body: { name: 'since-1.2' }, codes: ['RULE_NOT_FOUND'] },
  'POST /rules/attach': {
    summary: 'Apply a rule to a product',
    body: { rule: 'since-1.2', product: 'Plot Guard' },
    codes: ['RULE_NOT_FOUND', 'PRODUCT_NOT_FOUND'],
  },
  'POST /rules/detach': {
    summary: 'Take a rule from a product',
    body: { rule: 'since-1.2', product: 'Plot Guard' },
    codes: ['RULE_NOT_FOUND', 'PRODUCT_NOT_FOUND'],
  },
  'POST /variables': {
    summary: 'Create a global variable',
    body: { name: 'motd', value: 'Version 2 is out' },
    fields: { value: JSON_VALUE },
    required: ['value'],
    codes: ['ALREADY_EXISTS'],
  },
  'GET /variables': { summary: 'List global variables' },
  'PATCH /variables': {
    summary: 'Set a global variable',
    body: { name: 'motd', value: { text: 'Version 2 is out', level: 'info' } },
    fields: { value: JSON_VALUE },
    codes: ['VARIABLE_NOT_FOUND'],
  },
  'DELETE /variables': {
    summary: 'Delete a global variable',
    body: { name: 'motd' },
    codes: ['VARIABLE_NOT_FOUND'],
  },
  'POST /variables/product': {
    summary: "Create a product's variable",
    body: { product: 'Plot Guard', name: 'max_plots', value: 50 },
    fields: { value: JSON_VALUE },
    required: ['value'],
    codes: ['ALREADY_EXISTS', 'PRODUCT_NOT_FOUND'],
  },
  'GET /variables/product': {
    summary: "List products' variables",
    parameters: { product: 'Plot Guard' },
  },
  'PATCH /variables/product': {
    summary: "Set a product's variable",
    body: { product: 'Plot Guard', name: 'max_plots', value: 100 },
    fields: { value: JSON_VALUE },
    codes: ['VARIABLE_NOT_FOUND', 'PRODUCT_NOT_FOUND'],
  },
  'DELETE /variables/product': {
    summary: "Delete a product's variable",
    body: { product: 'Plot Guard', name: 'max_plots' },
    codes: ['VARIABLE_NOT_FOUND', 'PRODUCT_NOT_FOUND'],
  },
  'POST /customers': {
    summary: 'Create a customer',
    body: { name: 'Lovelace Ltd' },
    codes: ['ALREADY_EXISTS'],
  },
  'GET /customers': { summary: 'List customers' },
  'PATCH /customers': {
    summary: 'Change a customer',
    body: { name: 'Lovelace Ltd', new_name: 'Lovelace & Co' },
    codes: ['CUSTOMER_NOT_FOUND', 'ALREADY_EXISTS'],
  },
  'DELETE /customers': {
    summary: 'Delete a customer',
    body: { name: 'Lovelace & Co', force: true },
    codes: ['CUSTOMER_NOT_FOUND', 'IN_USE'],
  },
  'POST /users': {
    summary: 'Create a user',
    body: { user_id: 'usr_ada', email: 'ada@example.com', display_name: 'Ada' },
    codes: ['ALREADY_EXISTS'],
  },
  'GET /users': { summary: 'List users', parameters: { email: 'ada@example.com' } },
  'PATCH /users': {
    summary: 'Change a user',
    description: 'With the status `banned`, its licenses are no longer valid.',
    body: { user_id: 'usr_ada', display_name: 'Ada Lovelace' },
    codes: ['USER_NOT_FOUND'],
  },
  'DELETE /users': {
    summary: 'Delete a user',
    body: { user_id: 'usr_ada', force: true },
    codes: ['USER_NOT_FOUND', 'IN_USE'],
  },
  'POST /users/link': {
    summary: 'Find or create the user of an identity',
    body: { provider: 'discord', provider_id: '80351110224678912', display_name: 'ada' },
    fields: { metadata: IDENTITY },
  },
  'POST /users/merge': {
    summary: 'Merge a user into another',
    description:
      'Licenses, sessions, identities and purchases move; the old `user_id` leads to the new user.',
    body: { from: 'usr_ada_old', to: 'usr_ada' },
    codes: ['USER_NOT_FOUND'],
  },
  'POST /identities': {
    summary: 'Give a user an identity',
    body: {
      user_id: 'usr_ada',
      provider: 'github',
      provider_id: '583231',
      metadata: { username: 'ada' },
    },
    fields: { metadata: IDENTITY },
    codes: ['ALREADY_EXISTS', 'USER_NOT_FOUND'],
  },
  'GET /identities': { summary: 'List identities', parameters: { user_id: 'usr_ada' } },
  'DELETE /identities': {
    summary: 'Take an identity from its user',
    body: { provider: 'github', provider_id: '583231' },
    codes: ['IDENTITY_NOT_FOUND'],
  },
};
