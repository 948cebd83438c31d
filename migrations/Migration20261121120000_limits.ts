import { Migration } from '@mikro-orm/migrations';

/** Counters of `LIMITS.STORE=postgres`; their columns are those of rate-limiter-flexible. */
export class Migration20261121120000_limits extends Migration {
  override up(): void {
    // Unlogged: a crash may forget who has asked how often, and a counter is not worth a line in the log each time.
    this.addSql(`
      create unlogged table rate_limit (
        key varchar(255) primary key,
        points integer not null default 0,
        expire bigint
      )`);
    this.addSql(`create index rate_limit_expire_idx on rate_limit (expire)`);
  }
}
