import { Migration } from '@mikro-orm/migrations';

/** A short license key is shown no more whole by the entry that says what a validation has bound. */
export class Migration20261122030000_mask_key extends Migration {
  override up(): void {
    // What `maskKey` shows of a key that is stored: its last 6 characters, and of a short one never more than half.
    this.addSql(`
      create function mask_key(in_key text) returns text language sql immutable as $$
        select '…' || right(in_key, least(6, length(in_key) / 2))
      $$`);
    // All else of it stays as it is; if what is to go isn't there, somebody has to look.
    this.addSql(`
      do $do$
      declare
        old text := pg_get_functiondef('record_validation'::regproc);
        new text := replace(old, $q$'…' || right(l.key, 6)$q$, 'mask_key(l.key)');
      begin
        if new = old then
          raise exception 'record_validation masks no key';
        end if;
        execute new;
      end $do$`);
  }
}
