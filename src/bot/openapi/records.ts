const AT = '2026-01-15T12:00:00.000Z';
const CHANNEL = '1098765432109876543';

const command = {
  ...{ name: 'ping', description: 'Whether the bot is there, and how far away', module: 'utility' },
  ...{
    enabled: true,
    slash: true,
    prefix: true,
    mention: true,
    customPrefix: '',
    options: [],
    subcommands: [],
  },
  rules: {
    cooldown: { seconds: 10, uses: 2, scope: 'user' },
    ...{ allowRoles: [], denyRoles: [], allowChannels: [], denyChannels: [], allowUsers: [], denyUsers: [] },
    ...{ permissions: [], ephemeral: false, denyMessage: null },
  },
};

const template = {
  ...{ id: 'tpl_8sKd02', name: 'release', channel: CHANNEL, content: 'Version 2 is out, {user}' },
  embed: { title: '2.0', description: 'Faster, and with worlds.', color: '#FF8800' },
  buttons: [{ label: 'Download', url: 'https://example.com/download' }],
  ...{ createdAt: AT, updatedAt: AT },
};

const target = {
  ...{ id: 'core', name: 'Bot', enabled: true, channel: CHANNEL },
  events: [
    {
      ...{ key: 'bot.started', label: 'The bot has started', description: '' },
      ...{ default: true, enabled: true, channel: null },
    },
  ],
  lastError: null,
};

const setting = {
  ...{ key: 'text', label: 'Greeting', description: 'May hold {user}, {server}, {channel} and {date}.' },
  ...{ type: 'text', default: 'Welcome to {server}, {user}!', value: 'Hello {user}!', set: true },
  ...{ required: false, min: null, max: null, minLength: 1, maxLength: 2000, pattern: null, options: [] },
};
const groups = [{ id: 'joining', label: 'Joining', description: '', settings: [setting] }];

/** An example of each record of the bot API, by the name of its schema. */
export const botRecords: Readonly<Record<string, unknown>> = {
  BotStatus: {
    ...{ product: 'licensing-gateway', version: '0.1.0', running: true },
    ...{
      license: { activated: false, message: 'No license key configured' },
      modules: { loaded: 4, failed: 0 },
    },
    bot: { id: '1012345678901234567', username: 'Plot Guard', tag: 'Plot Guard#0' },
    server: { id: '1045678901234567890', name: 'Acme' },
    ...{ state: 'running', since: AT, lastError: null, ping: 42, uptime: 3600, shards: 1 },
  },
  BotLogEntry: { id: 1, time: AT, level: 'info', message: 'The bot is running' },
  BotModule: {
    ...{ id: 'utility', name: 'Utility', version: '1.0.0', author: 'Licensing Gateway', enabled: true },
    ...{ state: 'enabled', error: null, description: 'Help with what one may use, a sign of life.' },
  },
  BotModuleConfig: { id: 'welcome', name: 'Welcome', groups },
  BotModuleConfigWritten: { success: true, id: 'welcome', name: 'Welcome', groups },
  BotModuleToggled: { success: true, id: 'utility', enabled: true, changed: false, applied: true },
  BotLoggingTarget: target,
  BotLoggingTargetWritten: { success: true, ...target },
  BotCommand: command,
  BotCommands: { prefix: '!', commands: [command] },
  BotCommandsWritten: { success: true, prefix: '!', commands: [command], syncRequired: false },
  BotCommandsSynced: {
    ...{ success: true, registered: 7, scope: 'guild', unchanged: false },
    commands: [{ name: 'ping', id: '1123456789012345678' }],
  },
  BotMessageTemplate: template,
  BotMessageSent: {
    ...{ success: true, messageId: '1134567890123456789', channel: CHANNEL },
    url: `https://discord.com/channels/1045678901234567890/${CHANNEL}/1134567890123456789`,
  },
  BotPresenceSet: {
    ...{ success: true, applied: true, status: 'online' },
    activities: [{ name: 'over your licenses', type: 3, url: null }],
  },
  BotProfileSet: { success: true, username: 'Plot Guard', avatar: null },
  BotMoved: { success: true, changed: true },
};
