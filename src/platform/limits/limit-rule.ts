import type { Config } from '../../config.js';

/** The quotas that the configuration sets, by name. */
export type QuotaName = keyof Config['limits']['quotas'];

/**
 * What is counted together: everything from one address, everything about one subject (a license key, a token, an API
 * key), or everything about one subject from one address.
 */
export type Partition = 'address' | 'subject' | 'both';

/** At most `quota` in each window, for each value of the partition. */
export interface Policy {
  /** Names it in `RateLimit` and `RateLimit-Policy`, in metrics and in the store. Unique. */
  readonly name: string;
  readonly quota: QuotaName;
  readonly windowSeconds: number;
  readonly by: Partition;
}

/**
 * Something that can be guessed. Whoever guesses wrong as often as the quota of a minute allows is locked out for 30 s,
 * then twice as long each time, up to 30 min; an hour without a lock starts over.
 */
export interface Guard {
  /** Names it in metrics and in the store. Unique among policies, too. */
  readonly name: string;
  readonly quota: QuotaName;
  /** For people: "Too many <what> from this address". */
  readonly what: string;
  /** The codes, of an answer or an error, that say that a guess was wrong. */
  readonly misses: ReadonlySet<string>;
}

/** What one kind of request is held to. */
export interface LimitRule {
  /** Looked at in this order; the first that is used up refuses, and the later ones are not charged. */
  readonly policies: readonly Policy[];
  /** Locked addresses are refused, and wrong guesses counted. */
  readonly guard?: Guard;
}
