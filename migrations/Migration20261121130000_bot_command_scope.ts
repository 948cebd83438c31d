import { Migration } from '@mikro-orm/migrations';

/** Where the bot's slash commands were registered last: `global`, or the id of a server; null: that isn't known. */
export class Migration20261121130000_bot_command_scope extends Migration {
  override up(): void {
    this.addSql(`alter table bot_command_settings add column synced_scope text`);
  }
}
