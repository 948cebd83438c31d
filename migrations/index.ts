import { Migration20261121000000_foundation } from './Migration20261121000000_foundation.js';
import { Migration20261121010000_administration } from './Migration20261121010000_administration.js';
import { Migration20261121020000_files } from './Migration20261121020000_files.js';
import { Migration20261121030000_downloads } from './Migration20261121030000_downloads.js';
import { Migration20261121040000_live } from './Migration20261121040000_live.js';
import { Migration20261121050000_webhooks } from './Migration20261121050000_webhooks.js';
import { Migration20261121060000_marketplace } from './Migration20261121060000_marketplace.js';
import { Migration20261121070000_job_runs } from './Migration20261121070000_job_runs.js';
import { Migration20261121080000_bot } from './Migration20261121080000_bot.js';
import { Migration20261121085000_bot_modules } from './Migration20261121085000_bot_modules.js';
import { Migration20261121090000_validation_events } from './Migration20261121090000_validation_events.js';
import { Migration20261121100000_hot_path } from './Migration20261121100000_hot_path.js';
import { Migration20261121120000_limits } from './Migration20261121120000_limits.js';
import { Migration20261121130000_bot_command_scope } from './Migration20261121130000_bot_command_scope.js';
import { Migration20261122000000_expired_sessions } from './Migration20261122000000_expired_sessions.js';
import { Migration20261122020000_session_expiry } from './Migration20261122020000_session_expiry.js';
import { Migration20261122030000_mask_key } from './Migration20261122030000_mask_key.js';

/** Every migration, oldest first. A new one is appended; a landed one is never edited. */
export const migrations = [
  Migration20261121000000_foundation,
  Migration20261121010000_administration,
  Migration20261121020000_files,
  Migration20261121030000_downloads,
  Migration20261121040000_live,
  Migration20261121050000_webhooks,
  Migration20261121060000_marketplace,
  Migration20261121070000_job_runs,
  Migration20261121080000_bot,
  Migration20261121085000_bot_modules,
  Migration20261121090000_validation_events,
  Migration20261121100000_hot_path,
  Migration20261121120000_limits,
  Migration20261121130000_bot_command_scope,
  Migration20261122000000_expired_sessions,
  Migration20261122020000_session_expiry,
  Migration20261122030000_mask_key,
];
