import { Migration } from '@mikro-orm/migrations';

/** What is known of the bot, requests to the process that runs it, and its console log. */
export class Migration20261121080000_bot extends Migration {
  override up(): void {
    // One row. desired: what operators want, null until one has said. holder: the process that runs the bot; only it
    // writes what follows, so that one which has lost its lease can't overwrite its successor's word.
    this.addSql(`
      create table bot (
        id integer primary key default 1 constraint bot_one_check check (id = 1),
        desired text constraint bot_desired_check check (desired in ('running', 'stopped')),
        presence jsonb not null default '{"status": "online", "activities": []}',
        holder uuid,
        state text not null default 'stopped' constraint bot_state_check
          check (state in ('stopped', 'starting', 'running', 'reconnecting', 'stopping', 'failed')),
        since timestamptz not null,
        ready_at timestamptz,
        last_error_code text,
        last_error_at timestamptz,
        ping integer,
        shards integer not null default 0,
        bot_id text,
        username text,
        tag text,
        server_id text,
        server_name text,
        license_activated boolean not null default false,
        license_message text,
        modules_loaded integer not null default 0,
        modules_failed integer not null default 0
      )`);
    this.addSql(`insert into bot (since) values (now())`);
    // What the holder is asked to do. Unlogged: after a crash nobody waits for an answer any more.
    this.addSql(`
      create unlogged table bot_request (
        id bigint generated always as identity primary key,
        key uuid not null constraint bot_request_key_key unique,
        kind text not null,
        args jsonb not null,
        asked_by jsonb not null,
        created_at timestamptz not null default now(),
        holder uuid,
        answer jsonb
      )`);
    this.consoleLog();
  }

  private consoleLog(): void {
    this.addSql(`create sequence bot_log_id_seq`);
    // level: 0 debug, 1 info, 2 warn, 3 error.
    this.addSql(`
      create table bot_log (
        id bigint primary key default nextval('bot_log_id_seq'),
        time timestamptz not null,
        level smallint not null,
        message text not null
      )`);
    // Ids are given under a lock, so that they become visible in their order: who has read up to 7 will not find a 6
    // later. The lock is had before the statement that takes them, since a function's statement sees what is committed.
    this.addSql(`
      create function append_bot_log(in_lines jsonb) returns void language plpgsql as $$
      declare
        last_id bigint;
      begin
        perform pg_advisory_xact_lock(hashtext('bot_log'));
        insert into bot_log (time, level, message)
          select (line->>'time')::timestamptz, (line->>'level')::smallint, line->>'message'
            from jsonb_array_elements(in_lines) with ordinality lines(line, n) order by n;
        select max(id) into last_id from bot_log;
        perform notify_live(array['bot.log'], jsonb_build_object('id', last_id));
      end $$`);
  }
}
