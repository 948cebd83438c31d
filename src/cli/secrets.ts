import type { Command } from 'commander';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { CliError } from './cli-error.js';
import { CliResealSecretsDocument } from './secrets.generated.js';

/** `secrets rotate`. */
export function addSecretsCommands(program: Command): void {
  program
    .command('secrets')
    .description('Stored secrets and the SECRET_KEY that they are sealed with')
    .command('rotate')
    .description(
      'Seal with the present SECRET_KEY what SECRET_KEY_PREVIOUS has sealed; may be run at any time',
    )
    .action(async (_options: unknown, command: Command) => {
      await rotate(command);
    });
}

async function rotate(command: Command): Promise<void> {
  let resealed = 0;
  for (;;) {
    const { done } = await ask(command, CliResealSecretsDocument, {});
    resealed += done.resealed;
    if (!done.isDone) continue;
    const { unreadable } = done;
    const text = `Sealed anew: ${resealed}. ${unreadable === 0 ? 'SECRET_KEY_PREVIOUS is not needed any more.' : ''}`;
    answer(command, { json: { resealed, unreadable }, text: text.trim() });
    if (unreadable === 0) return;
    throw new CliError(
      1,
      `Stored secrets that no key opens: ${unreadable}. Is the key that sealed them in SECRET_KEY_PREVIOUS?`,
    );
  }
}
