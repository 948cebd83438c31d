import { Migration } from '@mikro-orm/migrations';

/**
 * What lets a gateway judge licenses from memory and never from the past: a version of everything that a verdict
 * depends on, moved by triggers in the transaction of any change, whoever makes it by whichever way.
 */
export class Migration20261121100000_hot_path extends Migration {
  override up(): void {
    this.versions();
    this.bumps();
    this.recordValidations();
  }

  private versions(): void {
    // A license's facts are of three versions: its own, its product's and the one of what concerns all licenses.
    this.addSql(`alter table license add column facts_version integer not null default 1`);
    this.addSql(`alter table product add column facts_version integer not null default 1`);
    this.addSql(`
      create table facts_version (
        is_the_row boolean primary key default true check (is_the_row),
        version bigint not null
      )`);
    this.addSql(`insert into facts_version (version) values (1)`);
    this.addSql(`
      create function bump_row_facts() returns trigger language plpgsql as $$
      begin
        new.facts_version := old.facts_version + 1;
        return new;
      end $$`);
    this.addSql(`
      create trigger license_facts before update on license for each row
        when ((old.key, old.lookup, old.status, old.product_id, old.customer_id, old.user_id, old.expires_at, old.seats)
           is distinct from
              (new.key, new.lookup, new.status, new.product_id, new.customer_id, new.user_id, new.expires_at, new.seats))
        execute function bump_row_facts()`);
    this.addSql(`
      create trigger product_facts before update on product for each row
        when ((old.name, old.session_ttl) is distinct from (new.name, new.session_ttl))
        execute function bump_row_facts()`);
  }

  private bumps(): void {
    // Rows are locked in the order of their ids, as everywhere, so that two changes at once don't lock each other out.
    this.addSql(`
      create function bump_license_facts(in_ids integer[]) returns void language sql as $$
        update license l set facts_version = facts_version + 1
          from (select id from license where id = any(in_ids) order by id for no key update) locked
         where l.id = locked.id
      $$`);
    this.addSql(`
      create function bump_product_facts(in_ids integer[]) returns void language sql as $$
        update product p set facts_version = facts_version + 1
          from (select id from product where id = any(in_ids) order by id for no key update) locked
         where p.id = locked.id
      $$`);
    this.addSql(`
      create function bump_all_facts() returns void language sql as $$
        update facts_version set version = version + 1
      $$`);
    this.onChange('license_addon', `perform bump_license_facts(array(select license_id from changed))`);
    this.onChange('license_whitelist', `perform bump_license_facts(array(select license_id from changed))`);
    this.onChange('product_whitelist', `perform bump_product_facts(array(select product_id from changed))`);
    this.onChange('product_rule', `perform bump_product_facts(array(select product_id from changed))`);
    this.onChange('rule', `perform bump_all_facts() from changed limit 1`);
    this.onChange('whitelist', `perform bump_all_facts() from changed limit 1`);
    this.onChange(
      'variable',
      `perform bump_all_facts() from changed where scope = 'global' limit 1;
       perform bump_product_facts(array(select product_id from changed where product_id is not null));
       perform bump_license_facts(array(select license_id from changed where license_id is not null))`,
    );
    // Names that a verdict shows, and a user's standing. Whoever has many licenses pays for it when that changes.
    this.onUpdate('customer', 'old.name <> new.name', 'customer_id = new.id');
    this.onUpdate('app_user', 'old.status <> new.status', 'user_id = new.id');
    this.addSql(`
      create function bump_facts_of_all() returns trigger language plpgsql as $$
      begin
        perform bump_all_facts();
        return null;
      end $$`);
    this.addSql(`
      create trigger addon_facts after update on addon for each row when (old.name <> new.name)
        execute function bump_facts_of_all()`);
    for (const table of ['variable', 'rule', 'whitelist', 'license_addon', 'license_whitelist']) {
      this.addSql(`
        create trigger ${table}_facts_truncate after truncate on ${table}
          execute function bump_facts_of_all()`);
    }
  }

  /** One trigger a kind of change: transition tables can't be had by several at once. */
  private onChange(table: string, bump: string): void {
    for (const [event, changed, rows] of [
      ['insert', 'select * from now_rows', 'new table as now_rows'],
      [
        'update',
        'select * from was_rows union all select * from now_rows',
        'old table as was_rows new table as now_rows',
      ],
      ['delete', 'select * from was_rows', 'old table as was_rows'],
    ] as const) {
      this.addSql(`
        create function ${table}_facts_${event}() returns trigger language plpgsql as $$
        begin
          ${bump.replaceAll('from changed', `from (${changed}) changed`)};
          return null;
        end $$`);
      this.addSql(`
        create trigger ${table}_facts_${event} after ${event} on ${table} referencing ${rows}
          for each statement execute function ${table}_facts_${event}()`);
    }
  }

  private onUpdate(table: string, condition: string, licenses: string): void {
    this.addSql(`
      create function ${table}_facts() returns trigger language plpgsql as $$
      begin
        perform bump_license_facts(array(select id from license where ${licenses}));
        return null;
      end $$`);
    this.addSql(`
      create trigger ${table}_facts after update on ${table} for each row when (${condition})
        execute function ${table}_facts()`);
  }

  private recordValidations(): void {
    this.addSql(`
      create function facts_hold(
        in_license_id integer, in_license_version integer, in_product_version integer, in_global_version bigint
      ) returns boolean language sql stable as $$
        select exists (
          select from license l left join product p on p.id = l.product_id
           where l.id = in_license_id and l.facts_version = in_license_version
             and coalesce(p.facts_version, 0) = in_product_version
             and in_global_version = (select version from facts_version))
      $$`);
    // Validations that need a place: an unseen value on a whitelist, or a seat. One after the other, in the order of
    // their licenses, each license's row locked before its versions are looked at: what is bound and counted then is
    // by the limits of that moment. Facts that no longer hold write nothing and come back as 'STALE'.
    this.addSql(`
      create function record_validations(in_rows jsonb)
        returns table (n integer, code text, session_token text) language plpgsql as $$
      declare
        asked record;
      begin
        for asked in
          select * from jsonb_to_recordset(in_rows) as r (
              n integer, "licenseId" integer, "licenseVersion" integer, "productVersion" integer,
              "globalVersion" bigint, seats integer, identifier text, token text, ip text, agent text, ttl integer,
              now timestamptz, whitelists integer[], limits integer[], "values" text[], "isAddress" boolean[],
              source text, "requestId" text)
           order by "licenseId", identifier
        loop
          n := asked.n;
          session_token := null;
          perform from license l where l.id = asked."licenseId" for no key update;
          if not facts_hold(asked."licenseId", asked."licenseVersion", asked."productVersion", asked."globalVersion") then
            code := 'STALE';
          else
            select r.code, r.session_token into code, session_token from record_validation(
              asked."licenseId", asked.seats, asked.identifier, asked.token, asked.ip, asked.agent, asked.ttl, asked.now,
              asked.whitelists, asked.limits, asked."values", asked."isAddress", asked.source, asked."requestId") r;
          end if;
          return next;
        end loop;
      end $$`);
  }
}
