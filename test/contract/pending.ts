/**
 * Endpoints that are documented and not yet implemented, `METHOD /path`. Whoever implements one takes its line out;
 * routes.test.ts fails until then.
 */
export const pending: readonly string[] = [
  // docs/api/licensing.md
];
