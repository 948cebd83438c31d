import { Migration } from '@mikro-orm/migrations';

/**
 * Renewing a session no longer touches an index. `expiry_due_at` says when the job is to look at it next: at the end
 * it had when it was opened, and then, if it has been renewed meanwhile, at the end it has by then. So a session that
 * is renewed a hundred times is indexed anew once, and the updates in between are heap-only.
 */
export class Migration20261122020000_session_expiry extends Migration {
  override up(): void {
    // What doesn't say when it is due, is at once: the sessions of before, and those of a version that knows no better.
    this.addSql(`alter table session add column expiry_due_at timestamptz not null default '-infinity'`);
    this.addSql(`create index session_expiry_due_at_idx on session (expiry_due_at)`);
    this.addSql(`drop index session_expires_at_idx`);
    // Room on each page for the next version of its rows, which is what a heap-only update needs.
    this.addSql(`alter table session set (fillfactor = 70)`);
    // A product whose sessions last shorter from now on. After the row's update and not before it, since that would
    // have every renewal lock the row once more.
    this.addSql(`
      create function advance_session_expiry() returns trigger language plpgsql as $$
      begin
        update session set expiry_due_at = new.expires_at where id = new.id;
        return null;
      end $$`);
    this.addSql(`
      create trigger session_expiry_advance after update on session
        for each row when (new.expires_at < new.expiry_due_at) execute function advance_session_expiry()`);
  }
}
