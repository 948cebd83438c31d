import type { Client, Interaction } from 'discord.js';

/** The platform gives a bot three seconds. */
const GRACE_MS = 2_000;

/** Acknowledges clicks on buttons that nobody handles, so that users never see "interaction failed". */
export function acknowledgeStrayClicks(client: Client): void {
  client.on('interactionCreate', (interaction: Interaction) => {
    if (!interaction.isMessageComponent()) return;
    setTimeout(() => {
      if (interaction.replied || interaction.deferred) return;
      // Whoever was faster, or a connection that has ended, is all right.
      interaction.deferUpdate().catch(() => undefined);
    }, GRACE_MS).unref();
  });
}
