import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RestResponse } from './rest.js';
import { startTestBot } from './bot.js';
import type { TestBot, TestBotOptions } from './bot.js';
import { temporaryDirectory, until } from './embedded-postgres-kit.js';

/** A module as it is shown. */
export interface ShownModule {
  readonly id: string;
  readonly enabled: boolean;
  readonly state: string;
  readonly error: string | null;
}

export interface ModulesBot extends TestBot {
  module(id: string): Promise<ShownModule | undefined>;
  toggle(id: string, enabled: boolean, actor?: object): Promise<RestResponse>;
  /** Texts of the bot's messages in a channel, oldest first. */
  written(channel: string): string[];
}

/** Short where a test waits for it, long where nothing should take it. */
const LIMITS = {
  ...{ hookMs: 500, commandMs: 5_000, pollMs: 50, pace: { messages: 5, perMs: 200 } },
  ...{ loginMs: 20_000, restMs: 10_000 },
};

/** A bot with modules of one's own: the code of each `index.js`, by the folder's name. Waits until they are loaded. */
export async function startModulesBot(
  modules: Readonly<Record<string, string>> = {},
  options: TestBotOptions = {},
): Promise<ModulesBot> {
  const directory = temporaryDirectory();
  // So that Node takes `index.js` for an ES module.
  writeFileSync(join(directory, 'package.json'), '{"type": "module"}');
  for (const [id, code] of Object.entries(modules)) {
    mkdirSync(join(directory, id));
    writeFileSync(join(directory, id, 'index.js'), code);
  }
  const bot = await startTestBot({
    ...options,
    env: { BOT_MODULES_DIR: directory, ...options.env },
    limits: { ...LIMITS, ...options.limits },
  });
  await until(async () => ((await bot.status()) as { modules: { loaded: number } }).modules.loaded > 0);
  return {
    ...bot,
    module: async (id) => {
      const shown = (await bot.bot('GET', '/api/modules')).body as ShownModule[];
      return shown.find((each) => each.id === id);
    },
    toggle: (id, enabled, actor = {}) => bot.bot('POST', '/api/modules/toggle', { id, enabled, ...actor }),
    written: (channel) => {
      const { world } = bot.sandbox;
      const { id } = world.channel(channel);
      const own = (world.messages.get(id) ?? []).filter(
        ({ author }) => (author as { id: string }).id === world.bot.id,
      );
      return own.map(({ content }) => String(content));
    },
  };
}

/** The code of a module: what its definition has, as text. */
export function moduleCode(id: string, rest: string): string {
  return `export default { id: '${id}', name: '${id}', version: '1.0.0', author: 'Test', ${rest} };`;
}
