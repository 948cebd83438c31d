import type { Guild } from 'discord.js';
import type { ModuleContext } from '../define-module.js';
import { discordIdOf, heldProducts, nextExpiry, roleProducts, rolesFor } from './held-products.rules.js';
import type { Holder } from './held-products.rules.js';
import {
  ActivityOfDocument,
  IdentitiesOfDiscordDocument,
  IdentityOfDiscordDocument,
} from './licensing-module.generated.js';

const PAGE = 100;

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

  /** One whose account was unlinked: unless it is linked again, nothing is held. */
  async ofUnlinked(userId: string): Promise<void> {
    if (this.#products.size === 0) return;
    const { nodes } = await this.#ctx.graphql(IdentityOfDiscordDocument, { provider_id: userId });
    const [holder = { providerId: userId, user: null }] = nodes;
    await this.#ofHolders([holder]);
  }

  /** Those who were unlinked since the bot's start before this one: nobody has heard of it while it was stopped. */
  async ofUnlinkedMeanwhile(): Promise<void> {
    if (this.#products.size === 0) return;
    const [, before] = await this.#ctx.graphql(ActivityOfDocument, { event: 'bot.started', limit: 2 });
    if (!before || !('createdAt' in before)) return;
    const event = { event: 'identity.unlinked', from: before.createdAt, limit: PAGE };
    for (let page = 1; !this.#ctx.signal.aborted; page++) {
      const entries = await this.#ctx.graphql(ActivityOfDocument, { ...event, page });
      const names = entries.flatMap((entry) => ('resource' in entry ? [entry.resource.id] : []));
      for (const id of new Set(names.flatMap((name) => discordIdOf(name) ?? []))) await this.ofUnlinked(id);
      if (entries.length < PAGE) return;
    }
  }

  /** Everyone whose account is known, page by page. Resolves to when the next of their licenses expires, or Infinity. */
  async ofAll(): Promise<number> {
    let after: string | null = null;
    let expiry = Infinity;
    while (this.#products.size > 0 && !this.#ctx.signal.aborted) {
      const page: { nodes: readonly Holder[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } =
        await this.#ctx.graphql(IdentitiesOfDiscordDocument, { after });
      await this.#ofHolders(page.nodes);
      expiry = Math.min(expiry, nextExpiry(page.nodes, this.#ctx.now()));
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    return expiry;
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
