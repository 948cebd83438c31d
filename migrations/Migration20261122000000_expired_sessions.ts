import { Migration } from '@mikro-orm/migrations';

/** A session whose row is taken by a new one before the job came by has expired all the same, and is announced. */
export class Migration20261122000000_expired_sessions extends Migration {
  override up(): void {
    // In the transaction that takes the row, so once, and ahead of the new session: of triggers, the first by name
    // comes first, and `session_opened_update` announces that one. The entry says what the job's says: a session ends
    // by the clock, and not by whoever comes next. (`mask_key` comes in the same transaction, with a later migration.)
    this.addSql(`
      create function announce_expired_session() returns trigger language plpgsql as $$
      begin
        perform notify_session_change('EXPIRED', old.id, old.license_id, old.identifier, new.created_at);
        perform emit_events('session.expired', 'worker', 'job', null, new.created_at, (
          select jsonb_build_array(jsonb_build_object(
                   'type', 'session', 'id', old.identifier,
                   'changes', jsonb_build_object('license', jsonb_build_array(mask_key(l.key), null)),
                   'data', json_build_object(
                     'token', old.token, 'license', l.key, 'product', p.name, 'identifier', old.identifier,
                     'ip', old.ip, 'agent', old.agent, 'last_seen', iso_time(old.last_seen),
                     'expires_at', iso_time(old.expires_at))::text))
            from (values (old.license_id)) ended (license_id)
            left join license l on l.id = ended.license_id left join product p on p.id = l.product_id));
        return null;
      end $$`);
    this.addSql(`
      create trigger session_expired_update after update on session
        for each row when (old.token is distinct from new.token) execute function announce_expired_session()`);
  }
}
