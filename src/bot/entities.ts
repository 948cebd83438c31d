import { CommandSettings } from './commands/command-settings.entity.js';
import { BotCommand } from './commands/command.entity.js';
import { MessageTemplate } from './messages/message-template.entity.js';
import { LoggingTarget } from './modules/logging-target.entity.js';
import { BotModule } from './modules/module.entity.js';

export const botEntities = [BotCommand, BotModule, CommandSettings, LoggingTarget, MessageTemplate];
