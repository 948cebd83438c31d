import { Migration } from '@mikro-orm/migrations';

/** Live topics and changes of sessions told on them, announcements of expiry, and the heartbeats of job runners. */
export class Migration20261121040000_live extends Migration {
  override up(): void {
    this.liveTopics();
    this.sessionChanges();
    this.recordValidation();
    this.expiryNotices();
    // What says that a job runner lives, by the database's clock. `id` is what graphile-worker locks its jobs with.
    this.addSql(`
      create table job_runner (
        id text primary key,
        host text not null,
        pid integer not null,
        started_at timestamptz not null default now(),
        seen_at timestamptz not null default now()
      )`);
  }

  private liveTopics(): void {
    // A transaction that notifies takes a lock at its commit that the whole cluster shares, so nobody notifies unless
    // somebody listens: gateways keep the topics of their subscribers here, a little ahead of the time. Unlogged, since
    // after a crash they all connect anew, and say so. `live_since` tells a gateway that was late that there is a gap.
    this.addSql(`
      create unlogged table live_topic (
        topic text primary key,
        live_since timestamptz not null,
        expires_at timestamptz not null
      )`);
    this.addSql(`
      create function notify_live(in_topics text[], in_payload jsonb) returns void language plpgsql as $$
      begin
        perform pg_notify('live', jsonb_build_object('topic', topic, 'payload', in_payload)::text)
           from live_topic where topic = any(in_topics) and expires_at > clock_timestamp();
      end $$`);
  }

  private sessionChanges(): void {
    // Each validation that opens a session comes by here, so the look comes before anything is made to be told.
    this.addSql(`
      create function notify_session_change(
        in_change text, in_id bigint, in_license_id integer, in_identifier text, in_at timestamptz
      ) returns void language plpgsql as $$
      declare
        own_topic text := 'session:' || in_license_id;
      begin
        if exists (select from live_topic where topic in ('session', own_topic)) then
          perform notify_live(
            array['session', own_topic],
            jsonb_build_object('change', in_change, 'id', in_id, 'licenseId', in_license_id,
                               'identifier', in_identifier, 'at', in_at));
        end if;
      end $$`);
  }

  private expiryNotices(): void {
    // When the next announcement of its expiry is due:
    //   expires_at - 3 days ──license.expiring──► expires_at ──license.expired──► null: all is said
    // A new date starts over, whoever sets it by whichever way, so it is the table's own business. A license that is
    // created expired never was anything else: that is no news.
    this.addSql(`alter table license add column expiry_notice_at timestamptz`);
    this.addSql(
      `update license set expiry_notice_at = expires_at - interval '3 days' where expires_at > now()`,
    );
    // Only what is yet to be said stands in it, so that looking for what is due reads that and nothing else.
    this.addSql(`
      create index license_expiry_notice_idx on license (expiry_notice_at)
       where status = 'active' and expiry_notice_at is not null`);
    this.addSql(`
      create function set_expiry_notice() returns trigger language plpgsql as $$
      begin
        new.expiry_notice_at := new.expires_at - interval '3 days';
        return new;
      end $$`);
    this.addSql(`
      create trigger license_expiry_notice_insert before insert on license
        for each row when (new.expires_at > new.created_at) execute function set_expiry_notice()`);
    this.addSql(`
      create trigger license_expiry_notice_update before update of expires_at on license
        for each row when (new.expires_at is distinct from old.expires_at) execute function set_expiry_notice()`);
  }

  private recordValidation(): void {
    // As it was, and a session that is opened is told.
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
