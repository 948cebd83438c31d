import { timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../platform/context.js';
import { sha256 } from '../../platform/random.js';

const CALLER: Caller = {
  name: 'auth_secret',
  id: 'auth_secret',
  scopes: new Set(['bot:read', 'bot:write']),
  authenticated: true,
};

/** Tells who presents `AUTH.SECRET`: one who may control the bot, and nothing else. Compared in constant time. */
export function authSecret(secret: string): (presented: string) => Caller | undefined {
  const digest = sha256(secret);
  return (presented) => (timingSafeEqual(sha256(presented), digest) ? CALLER : undefined);
}
