import type { LimitRule } from '../platform/limits/limit-rule.js';

/** The bot API, by whichever road: one operator's console asks every few seconds. */
export const BOT: LimitRule = {
  policies: [{ name: 'bot', quota: 'bot', windowSeconds: 60, by: 'address' }],
};
