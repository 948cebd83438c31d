import { Migration } from '@mikro-orm/migrations';

/** What a validation causes is told to webhook targets in its own transaction: sessions that open, lists that fill. */
export class Migration20261121090000_validation_events extends Migration {
  override up(): void {
    this.openedSessions();
    this.listData();
    this.recordValidation();
  }

  private openedSessions(): void {
    // By triggers, since sessions are opened by more than one statement. With nobody to tell, it is one look at a small
    // table for each statement that inserts, however many rows; renewals cost a comparison.
    this.addSql(`
      create function publish_opened_sessions(in_tokens text[], in_at timestamptz) returns void language sql as $$
        select publish_events('session.opened', in_at, array(
          select json_build_object(
                   'token', s.token, 'license', l.key, 'product', p.name, 'identifier', s.identifier,
                   'ip', s.ip, 'agent', s.agent, 'last_seen', iso_time(s.last_seen),
                   'expires_at', iso_time(s.expires_at))::text
            from session s left join license l on l.id = s.license_id left join product p on p.id = l.product_id
           where s.token = any(in_tokens) order by s.id))
      $$`);
    this.addSql(`
      create function announce_inserted_sessions() returns trigger language plpgsql as $$
      begin
        if event_is_wanted('session.opened') then
          perform publish_opened_sessions(array_agg(o.token), max(o.created_at)) from opened o having count(*) > 0;
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger session_opened_insert after insert on session referencing new table as opened
        for each statement execute function announce_inserted_sessions()`);
    // A session that takes the row of one that had expired is a new one: it has a token of its own.
    this.addSql(`
      create function announce_replaced_session() returns trigger language plpgsql as $$
      begin
        if event_is_wanted('session.opened') then
          perform publish_opened_sessions(array[new.token], new.created_at);
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger session_opened_update after update on session
        for each row when (old.token is distinct from new.token) execute function announce_replaced_session()`);
  }

  private listData(): void {
    // A license's list as REST returns it, and whose it is; with a value, the one that found no place.
    this.addSql(`
      create function list_data(
        in_license_id integer, in_whitelist_id integer, in_refused text default null
      ) returns text language sql stable as $$
        select (case when in_refused is null then data else data || jsonb_build_object('refused', in_refused) end)::text
          from (select jsonb_build_object(
                  'license', l.key, 'name', w.name, 'type', w.type,
                  'source', case w.type when 'header' then 'header:' || w.header
                                        when 'field' then 'field:' || w.field else 'ip' end,
                  'limit', coalesce(lw.value_limit, w.value_limit),
                  'values', coalesce((select jsonb_agg(v.value order by v.created_at, v.value)
                                        from license_whitelist_value v
                                       where v.license_id = l.id and v.whitelist_id = w.id), '[]'),
                  'enforced', w.is_global or exists (
                    select from product_whitelist pw
                     where pw.product_id = l.product_id and pw.whitelist_id = w.id)) as data
                  from license l cross join whitelist w
                  left join license_whitelist lw on lw.license_id = l.id and lw.whitelist_id = w.id
                 where l.id = in_license_id and w.id = in_whitelist_id) list
      $$`);
  }

  private recordValidation(): void {
    // As it was, and what it binds and what it has no room for is told.
    this.addSql(`
      create or replace function record_validation(
        in_license_id integer, in_seats integer, in_identifier text, in_token text, in_ip text, in_agent text,
        in_ttl integer, in_now timestamptz, in_whitelists integer[], in_limits integer[], in_values text[],
        in_is_address boolean[], in_source text, in_request_id text,
        out code text, out whitelist_id integer, out session_token text, out opened boolean
      ) language plpgsql as $$
      declare
        unseen integer[] := '{}';
        until_at timestamptz := in_now + make_interval(secs => in_ttl);
        session_id bigint;
        n integer;
      begin
        for n in 1 .. cardinality(in_whitelists) loop
          if not whitelist_holds(in_license_id, in_whitelists[n], in_values[n], in_is_address[n]) then
            unseen := unseen || n;
          end if;
        end loop;
        if unseen = '{}' then
          update session s set last_seen = in_now, expires_at = until_at, ttl = in_ttl, ip = in_ip, agent = in_agent
            where s.license_id = in_license_id and s.identifier = in_identifier and s.expires_at > in_now
            returning s.token into session_token;
          if found then
            code := 'VALID';
            opened := false;
            return;
          end if;
        end if;
        if unseen <> '{}' or in_seats >= 0 then
          perform from license l where l.id = in_license_id for no key update;
          if not found then
            code := 'NOT_FOUND';
            return;
          end if;
        end if;
        foreach n in array unseen loop
          continue when whitelist_holds(in_license_id, in_whitelists[n], in_values[n], in_is_address[n]);
          if in_limits[n] = 0 then
            code := 'WHITELIST_MISMATCH';
          elsif in_limits[n] > 0 and in_limits[n] <= (
              select count(*) from license_whitelist_value v
               where v.license_id = in_license_id and v.whitelist_id = in_whitelists[n]) then
            code := 'WHITELIST_LIMIT_REACHED';
          end if;
          if code = 'WHITELIST_LIMIT_REACHED' and event_is_wanted('whitelist.limit_reached') then
            perform publish_events('whitelist.limit_reached', in_now,
              array[list_data(in_license_id, in_whitelists[n], in_values[n])]);
          end if;
          if code is not null then
            whitelist_id := in_whitelists[n];
            return;
          end if;
        end loop;
        if in_seats >= 0 and in_seats <= (
            select count(*) from session s
             where s.license_id = in_license_id and s.expires_at > in_now and s.identifier <> in_identifier) then
          code := 'SEAT_LIMIT_REACHED';
          return;
        end if;
        foreach n in array unseen loop
          with bound as (
            insert into license_whitelist_value as v (license_id, whitelist_id, value, created_at)
              values (in_license_id, in_whitelists[n], in_values[n], in_now)
              on conflict do nothing returning v.value
          )
          insert into activity
              (event, actor, source, resource_type, resource_id, changes, request_id, created_at)
            select 'whitelist.bound', 'anonymous', in_source, 'license', '…' || right(l.key, 6),
                   jsonb_build_object(w.name, jsonb_build_array(null, bound.value)), in_request_id, in_now
              from bound, license l, whitelist w where l.id = in_license_id and w.id = in_whitelists[n];
          if event_is_wanted('whitelist.bound') then
            perform publish_events('whitelist.bound', in_now, array[list_data(in_license_id, in_whitelists[n])]);
          end if;
        end loop;
        insert into session as s (token, license_id, identifier, ip, agent, ttl, last_seen, expires_at, created_at)
          values (in_token, in_license_id, in_identifier, in_ip, in_agent, in_ttl, in_now, until_at, in_now)
          on conflict (license_id, identifier) do update set
            token = case when s.expires_at > in_now then s.token else excluded.token end,
            created_at = case when s.expires_at > in_now then s.created_at else excluded.created_at end,
            last_seen = excluded.last_seen, expires_at = excluded.expires_at,
            ttl = excluded.ttl, ip = excluded.ip, agent = excluded.agent
          returning s.token, s.token = in_token, s.id into session_token, opened, session_id;
        if opened then
          perform notify_session_change('OPENED', session_id, in_license_id, in_identifier, in_now);
        end if;
        code := 'VALID';
      end $$`);
  }
}
