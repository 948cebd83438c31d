import { raw } from '@mikro-orm/postgresql';
import type { FilterQuery } from '@mikro-orm/postgresql';
import { escapeLike } from '../../platform/db/escape-like.js';
import type { License } from './license.entity.js';

/**
 * Licenses whose key, or whose user's e-mail address, contains the text, whatever its case. A union, since an `or` over
 * two tables could use neither trigram index. Fewer than three characters find nothing that an index could help with.
 */
export function searchCondition(text: string): FilterQuery<License> {
  const pattern = `%${escapeLike(text)}%`;
  const ids = `(select key_match.id from license key_match where key_match.key ilike ?
    union select user_match.id from license user_match join app_user u on u.id = user_match.user_id where u.email ilike ?)`;
  return { id: { $in: raw(ids, [pattern, pattern]) } };
}
