import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { compiledRule } from '../../rules/rule.cache.js';
import type { RuleFacts } from '../../rules/rule.rules.js';
import type { EnforcedWhitelist, LicenseFacts } from './facts.js';

type Row = Omit<LicenseFacts, 'expiresAt' | 'rules'> & {
  readonly expiresAt: string | null;
  readonly rules: readonly (RuleFacts & { readonly updatedAt: string })[];
};

/** The facts of a license by the normal form of its key, in one statement; undefined for an unknown key. */
export async function loadFacts(em: EntityManager, lookup: string): Promise<LicenseFacts | undefined> {
  // Postgres text can't hold U+0000, so no key has one.
  if (lookup.includes('\u0000')) return undefined;
  const { rows } = await sql<{ facts: Row }>`
    select json_build_object(
      'licenseId', l.id, 'key', l.key, 'status', l.status, 'userStatus', u.status, 'seats', l.seats,
      'expiresAt', l.expires_at, 'product', p.name, 'customer', c.name, 'sessionTtl', p.session_ttl,
      'addons', array(select a.name from license_addon la join addon a on a.id = la.addon_id
                       where la.license_id = l.id order by a.name),
      'variables', (${variables}), 'userVariables', (${userVariables}),
      'whitelists', (${whitelists}), 'rules', (${rules})) as facts
      from license l
      left join product p on p.id = l.product_id
      left join customer c on c.id = l.customer_id
      left join app_user u on u.id = l.user_id
     where l.lookup = ${lookup}`.execute(em.getKysely());
  const facts = rows[0]?.facts;
  if (!facts) return undefined;
  return {
    ...facts,
    expiresAt: facts.expiresAt === null ? null : new Date(facts.expiresAt),
    rules: facts.rules.map(({ updatedAt, ...rule }) => compiledRule(rule, updatedAt)),
  };
}

const variables = sql`
  select coalesce(json_object_agg(v.key, v.value), '{}')
    from (select distinct on (key) key, value from variable
           where scope = 'global'
              or (scope = 'product' and product_id = l.product_id)
              or (scope = 'license' and license_id = l.id)
           order by key, case scope when 'license' then 0 when 'product' then 1 else 2 end) v`;

const userVariables = sql`
  select coalesce(json_object_agg(key, value), '{}') from variable where scope = 'user' and license_id = l.id`;

const whitelists = sql<EnforcedWhitelist[]>`
  select coalesce(json_agg(json_build_object('id', w.id, 'name', w.name, 'type', w.type, 'header', w.header,
           'field', w.field, 'limit', coalesce(lw.value_limit, w.value_limit)) order by w.name), '[]')
    from whitelist w
    left join license_whitelist lw on lw.whitelist_id = w.id and lw.license_id = l.id
   where w.is_global
      or exists (select from product_whitelist pw where pw.whitelist_id = w.id and pw.product_id = l.product_id)`;

const rules = sql`
  select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name, 'type', r.type, 'action', r.action,
           'config', r.config, 'message', r.message, 'updatedAt', r.updated_at) order by r.id), '[]')
    from rule r
   where r.is_global
      or exists (select from product_rule pr where pr.rule_id = r.id and pr.product_id = l.product_id)`;
