import type { DomainError } from '../../platform/errors.js';
import type { Operations } from '../../platform/graphql/operations.js';
import type { BotLog } from '../logs/bot-log.js';
import { RenewOwnLicenseDocument, ValidateOwnLicenseDocument } from './own-license.generated.js';

export interface LicenseStanding {
  readonly activated: boolean;
  /** Why it isn't; null when it is. */
  readonly message: string | null;
}

export interface OwnLicenseOptions {
  /** `BOT.LICENSE_KEY`; undefined when there is none. */
  readonly key: string | undefined;
  readonly operations: Operations;
  readonly log: BotLog;
  readonly onChange: (standing: LicenseStanding) => Promise<void>;
}

/** The bot's seat: one for each database, so that whoever takes the bot over takes its seat too. */
const IDENTIFIER = 'bot';
const RENEW_MS = 60_000;

export const NO_LICENSE: LicenseStanding = { activated: false, message: 'No license key configured' };

/**
 * The bot's own license: validated by the licensing service's operations as any product's is, and kept by heartbeats.
 * Without a key there is nothing to keep, and the bot may run.
 */
export class OwnLicense {
  readonly #options: OwnLicenseOptions;
  #standing: LicenseStanding = NO_LICENSE;
  #token: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OwnLicenseOptions) {
    this.#options = options;
  }

  get isConfigured(): boolean {
    return this.#options.key !== undefined;
  }

  /** Looks, and goes on looking. */
  async open(): Promise<void> {
    await this.check();
    if (this.isConfigured) this.#timer = setInterval(() => void this.check(), RENEW_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** How it stands now. When the service can't say, it stands as it stood. */
  async check(): Promise<LicenseStanding> {
    try {
      const standing = await this.#look();
      const isNews =
        standing.activated !== this.#standing.activated || standing.message !== this.#standing.message;
      this.#standing = standing;
      if (isNews) this.#tell(standing);
      await this.#options.onChange(standing);
    } catch (error) {
      this.#options.log.warn(`The bot's license can't be checked now: ${(error as Error).message}`);
    }
    return this.#standing;
  }

  async #look(): Promise<LicenseStanding> {
    const { key, operations } = this.#options;
    if (key === undefined) return NO_LICENSE;
    if (this.#token !== undefined && (await this.#isRenewed(this.#token)))
      return { activated: true, message: null };
    const verdict = await operations.run(ValidateOwnLicenseDocument, {
      license_key: key,
      identifier: IDENTIFIER,
    });
    this.#token = verdict.session?.token;
    return verdict.valid
      ? { activated: true, message: null }
      : { activated: false, message: verdict.message };
  }

  /** False: the session has ended, or the license is no longer valid; a validation tells which. */
  async #isRenewed(token: string): Promise<boolean> {
    try {
      await this.#options.operations.run(RenewOwnLicenseDocument, { token });
      return true;
    } catch (error) {
      this.#token = undefined;
      if ((error as DomainError).status >= 500) throw error;
      return false;
    }
  }

  #tell({ activated, message }: LicenseStanding): void {
    const { log } = this.#options;
    if (activated) log.info("The bot's license is valid");
    else log.warn(`The bot's license is not valid: ${message ?? ''}`);
  }
}
