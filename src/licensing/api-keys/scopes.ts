/** What an API key may be allowed to do. `*` is all of it. */
export const SCOPES = [
  'licensing:read',
  'licensing:write',
  'bot:read',
  'bot:write',
  'jobs:read',
  'jobs:write',
  'keys:write',
  '*',
] as const;

export type Scope = (typeof SCOPES)[number];
