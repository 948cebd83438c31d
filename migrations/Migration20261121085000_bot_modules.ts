import { Migration } from '@mikro-orm/migrations';

/** The bot's modules, commands, logging targets and message templates: what operators have set of them. */
export class Migration20261121085000_bot_modules extends Migration {
  override up(): void {
    // manifest: what the code declares, as the process that runs the bot has loaded it, so that any gateway can show
    // and check it; null: the code isn't there any more, and what was set is kept for when it comes back.
    // enabled: what operators want. state: what came of it.
    this.addSql(`
      create table bot_module (
        id text primary key,
        manifest jsonb,
        enabled boolean not null,
        state text not null constraint bot_module_state_check check (state in ('disabled', 'enabled', 'failed')),
        error text,
        config jsonb not null default '{}',
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`);
    // A module's, or 'core', the bot itself. events: {key: {enabled, channel}}, each null where the default holds.
    this.addSql(`
      create table bot_logging_target (
        id text primary key,
        enabled boolean not null,
        channel text,
        events jsonb not null default '{}',
        last_error jsonb,
        updated_at timestamptz not null
      )`);
    // What was set over what modules declare; null: as declared.
    this.addSql(`
      create table bot_command (
        name text primary key,
        enabled boolean,
        slash boolean,
        prefix boolean,
        mention boolean,
        custom_prefix text,
        disabled_subcommands text[] not null default '{}',
        rules jsonb not null default '{}',
        updated_at timestamptz not null
      )`);
    // One row. synced_hash: of what the platform was last given, and which application it was given for.
    this.addSql(`
      create table bot_command_settings (
        id integer primary key default 1 constraint bot_command_settings_one_check check (id = 1),
        prefix text not null default '!',
        synced_hash text,
        synced_application text,
        synced_at timestamptz
      )`);
    this.addSql(`insert into bot_command_settings default values`);
    this.addSql(`
      create table bot_message_template (
        id text primary key,
        name text not null constraint bot_message_template_name_key unique,
        channel text,
        content text,
        embed jsonb,
        buttons jsonb not null default '[]',
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`);
  }
}
