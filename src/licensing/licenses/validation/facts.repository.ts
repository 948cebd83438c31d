import type { Query } from '../../../platform/db/query.js';
import { compiledRule } from '../../rules/rule.cache.js';
import type { RuleFacts } from '../../rules/rule.rules.js';
import type { FactsVersion, LicenseFacts } from './facts.js';

/** Facts as they were read, with what says whether they still hold. */
export interface VersionedFacts {
  readonly facts: LicenseFacts;
  readonly version: FactsVersion;
  /** The length of their text, for whoever keeps them. */
  readonly bytes: number;
}

type Row = Omit<LicenseFacts, 'expiresAt' | 'rules'> & {
  readonly expiresAt: string | null;
  readonly rules: readonly (RuleFacts & { readonly updatedAt: string })[];
  readonly version: FactsVersion;
};

/**
 * The facts of licenses by the normal forms of their keys, and their version, in one statement and so of one moment.
 * Unknown keys are absent from the answer.
 */
export async function loadFacts(
  query: Query,
  lookups: readonly string[],
): Promise<Map<string, VersionedFacts>> {
  const rows = await query<{ lookup: string; facts: string }>({
    name: 'load-facts',
    text: LOAD_FACTS,
    values: [lookups],
  });
  return new Map(rows.map(({ lookup, facts }) => [lookup, parse(facts)]));
}

function parse(text: string): VersionedFacts {
  const { version, expiresAt, rules, ...row } = JSON.parse(text) as Row;
  return {
    version,
    bytes: text.length,
    facts: {
      ...row,
      expiresAt: expiresAt === null ? null : new Date(expiresAt),
      rules: rules.map(({ updatedAt, ...rule }) => compiledRule(rule, updatedAt)),
    },
  };
}

const VARIABLES = `
  select coalesce(json_object_agg(v.key, v.value), '{}')
    from (select distinct on (key) key, value from variable
           where scope = 'global'
              or (scope = 'product' and product_id = l.product_id)
              or (scope = 'license' and license_id = l.id)
           order by key, case scope when 'license' then 0 when 'product' then 1 else 2 end) v`;

const USER_VARIABLES = `
  select coalesce(json_object_agg(key, value), '{}') from variable where scope = 'user' and license_id = l.id`;

const WHITELISTS = `
  select coalesce(json_agg(json_build_object('id', w.id, 'name', w.name, 'type', w.type, 'header', w.header,
           'field', w.field, 'limit', coalesce(lw.value_limit, w.value_limit)) order by w.name), '[]')
    from whitelist w
    left join license_whitelist lw on lw.whitelist_id = w.id and lw.license_id = l.id
   where w.is_global
      or exists (select from product_whitelist pw where pw.whitelist_id = w.id and pw.product_id = l.product_id)`;

const RULES = `
  select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name, 'type', r.type, 'action', r.action,
           'config', r.config, 'message', r.message, 'updatedAt', r.updated_at) order by r.id), '[]')
    from rule r
   where r.is_global
      or exists (select from product_rule pr where pr.rule_id = r.id and pr.product_id = l.product_id)`;

// As text: its length is needed, and it is parsed here once.
const LOAD_FACTS = `
  select l.lookup, json_build_object(
    'licenseId', l.id, 'key', l.key, 'status', l.status, 'userStatus', u.status, 'seats', l.seats,
    'expiresAt', l.expires_at, 'product', p.name, 'customer', c.name, 'sessionTtl', p.session_ttl,
    'addons', array(select a.name from license_addon la join addon a on a.id = la.addon_id
                     where la.license_id = l.id order by a.name),
    'variables', (${VARIABLES}), 'userVariables', (${USER_VARIABLES}),
    'whitelists', (${WHITELISTS}), 'rules', (${RULES}),
    'version', json_build_object('license', l.facts_version, 'product', coalesce(p.facts_version, 0),
                                 'global', (select version from facts_version)))::text as facts
    from license l
    left join product p on p.id = l.product_id
    left join customer c on c.id = l.customer_id
    left join app_user u on u.id = l.user_id
   where l.lookup = any($1::text[])`;
