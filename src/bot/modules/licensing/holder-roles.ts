import type { Guild } from 'discord.js';
import type { ModuleContext } from '../define-module.js';
import { heldProducts, roleProducts, rolesFor } from './held-products.rules.js';
import type { Holder } from './held-products.rules.js';
import { IdentitiesOfDiscordDocument, IdentityOfDiscordDocument } from './licensing-module.generated.js';

/** Gives the roles of products to those who hold a valid license of one, and takes them from those who don't any more. */
export class HolderRoles {
  readonly #ctx: ModuleContext;

  constructor(ctx: ModuleContext) {
    this.#ctx = ctx;
  }

  /** One member, in every server that the bot is in. */
  async ofMember(userId: string): Promise<void> {
    if (this.#products.size === 0) return;
    const { nodes } = await this.#ctx.graphql(IdentityOfDiscordDocument, { provider_id: userId });
    for (const holder of nodes) await this.#ofHolders([holder]);
  }

  /** Everyone whose account is known, page by page. */
  async ofAll(): Promise<void> {
    let after: string | null = null;
    while (this.#products.size > 0 && !this.#ctx.signal.aborted) {
      const page: { nodes: readonly Holder[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } =
        await this.#ctx.graphql(IdentitiesOfDiscordDocument, { after });
      await this.#ofHolders(page.nodes);
      if (!page.pageInfo.hasNextPage) return;
      after = page.pageInfo.endCursor;
    }
  }

  get #products(): ReadonlyMap<string, readonly string[]> {
    return roleProducts(this.#ctx.setting('roles', 'holders') as readonly string[]);
  }

  async #ofHolders(holders: readonly Holder[]): Promise<void> {
    // Ids of other providers' making would be refused, and all others with them.
    const known = holders.filter(({ providerId }) => /^\d{17,20}$/.test(providerId));
    if (known.length === 0) return;
    for (const guild of this.#ctx.client?.guilds.cache.values() ?? []) {
      if (![...this.#products.keys()].some((role) => guild.roles.cache.has(role))) continue;
      const missing = known.filter(({ providerId }) => !guild.members.cache.has(providerId));
      if (missing.length > 0)
        await guild.members.fetch({ user: missing.map(({ providerId }) => providerId) });
      for (const holder of known) await this.#ofMember(guild, holder);
    }
  }

  async #ofMember(guild: Guild, holder: Holder): Promise<void> {
    const member = guild.members.cache.get(holder.providerId);
    if (!member) return;
    const { due, undue } = rolesFor(heldProducts(holder, this.#ctx.now()), this.#products);
    const has = (role: string) => member.roles.cache.has(role);
    const { tag } = member.user;
    for (const role of due.filter((each) => guild.roles.cache.has(each) && !has(each))) {
      await this.#attempt(`${tag} can't be given <@&${role}>`, async () => {
        await member.roles.add(role, 'Holds a valid license');
        this.#ctx.tell('role.given', `${tag} was given <@&${role}>`);
      });
    }
    if (this.#ctx.setting('roles', 'take') !== true) return;
    for (const role of undue.filter(has)) {
      await this.#attempt(`<@&${role}> can't be taken from ${tag}`, async () => {
        await member.roles.remove(role, 'Holds no valid license');
        this.#ctx.tell('role.taken', `<@&${role}> was taken from ${tag}`);
      });
    }
  }

  /** One role that the bot may not give must not keep others from theirs. */
  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const text = `${what}: ${(error as Error).message}`;
      this.#ctx.log.warn(text);
      this.#ctx.tell('role.failed', text);
    }
  }
}
