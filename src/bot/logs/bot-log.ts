/** Where the bot writes its lines: the process' log, and the console log that operators read. */
export interface BotLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
