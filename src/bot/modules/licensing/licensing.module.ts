import type { Invocation } from '../../commands/invocation.js';
import { defineModule } from '../define-module.js';
import type { ModuleContext } from '../define-module.js';
import { isRedeemCode, standingOf } from './held-products.rules.js';
import type { HeldLicense } from './held-products.rules.js';
import { HolderRoles } from './holder-roles.js';
import { keepRoles } from './keep-roles.js';
import {
  LicenseForStaffDocument,
  LicensesOfDiscordUserDocument,
  LinkDiscordUserDocument,
  RedeemByDiscordUserDocument,
} from './licensing-module.generated.js';

/** What the licensing service refuses, in words for customers. */
const REFUSALS: Readonly<Record<string, string>> = {
  PURCHASE_NOT_FOUND: 'There is no such code. Check it for typing errors: it has 20 letters and digits.',
  ALREADY_CLAIMED: 'This code was redeemed by somebody else.',
  PURCHASE_REFUNDED: 'This purchase was refunded, so it can no longer be redeemed.',
  PURCHASE_PENDING: 'Your purchase is still being processed. Try again in a few minutes.',
};

const SHOWN_MAX = 20;

/** `/redeem` and `/licenses` for customers, `/validate` for staff, and roles for those who hold a valid license. */
export const licensing = defineModule({
  id: 'licensing',
  name: 'Licensing',
  version: '1.0.0',
  author: 'Licensing Gateway',
  description: 'Customers redeem purchases and see their licenses; those who hold a valid one get a role.',
  enabledByDefault: true,
  config: [
    {
      id: 'roles',
      label: 'Roles',
      settings: [
        {
          key: 'holders',
          label: 'Roles of products',
          type: 'list',
          default: [],
          pattern: '^.*\\S\\s*=\\s*\\d{17,20}$',
          description: "Each line a product's name and a role's id: My product = 123456789012345678",
        },
        {
          key: 'take',
          label: 'Take roles back',
          type: 'boolean',
          default: true,
          description: 'From members whose license is no longer valid, or whose account was unlinked.',
        },
        {
          key: 'interval',
          label: 'Look every',
          type: 'duration',
          default: 600,
          min: 60,
          max: 86_400,
          description: 'How often everyone is looked at, beside what is heard of at once.',
        },
      ],
    },
  ],
  events: [
    { key: 'purchase.redeemed', label: 'A purchase was redeemed' },
    { key: 'role.given', label: 'A role was given' },
    { key: 'role.taken', label: 'A role was taken' },
    { key: 'role.failed', label: 'A role could not be given or taken' },
  ],
  commands: [
    {
      name: 'redeem',
      description: 'Redeems a purchase: its license becomes yours',
      // Codes and keys are nobody else's business.
      ...{ prefix: false, mention: false },
      rules: { ephemeral: true, cooldown: { seconds: 60, uses: 5, scope: 'user' } },
      options: [{ name: 'code', description: 'The code of your purchase', type: 'string', required: true }],
      run: redeem,
    },
    {
      name: 'licenses',
      description: 'Shows your licenses',
      ...{ prefix: false, mention: false },
      rules: { ephemeral: true },
      run: showLicenses,
    },
    {
      name: 'validate',
      description: 'Shows how a license stands, for staff',
      ...{ prefix: false, mention: false },
      rules: { ephemeral: true, permissions: ['ManageGuild'] },
      options: [{ name: 'key', description: 'The license key', type: 'string', required: true }],
      run: showLicense,
    },
  ],
  setup(ctx) {
    const roles = new HolderRoles(ctx);
    ctx.on('guildMemberAdd', (member) => roles.ofMember(member.id));
    keepRoles(ctx, roles);
  },
});

async function redeem(call: Invocation, ctx: ModuleContext): Promise<void> {
  const code = String(call.options['code']).trim();
  if (!isRedeemCode(code)) {
    await call.reply(REFUSALS['PURCHASE_NOT_FOUND'] ?? '');
    return;
  }
  const { id, tag, name } = call.user;
  const metadata = { username: tag, display_name: name };
  const { userId } = await ctx.graphql(LinkDiscordUserDocument, { provider_id: id, metadata });
  try {
    const { license } = await ctx.graphql(RedeemByDiscordUserDocument, { user_id: userId, redeem: code });
    await call.reply(`Thank you! This is your license key:\n\`\`\`\n${license}\n\`\`\``);
  } catch (error) {
    const words = REFUSALS[(error as { code?: string }).code ?? ''];
    if (words === undefined) throw error;
    await call.reply(words);
    return;
  }
  ctx.tell('purchase.redeemed', `${tag} has redeemed a purchase`);
  await new HolderRoles(ctx).ofMember(id);
}

async function showLicenses(call: Invocation, ctx: ModuleContext): Promise<void> {
  const licenses = await licensesOf(call.user.id, ctx);
  if (licenses.length === 0) {
    await call.reply('You have no licenses here. Use `/redeem` with the code of your purchase.');
    return;
  }
  const lines = licenses.slice(0, SHOWN_MAX).map((license) => lineOf(license, ctx.now()));
  const more = licenses.length > SHOWN_MAX ? [`… and ${licenses.length - SHOWN_MAX} more`] : [];
  await call.reply({
    embed: { title: 'Your licenses', description: [...lines, ...more].join('\n').slice(0, 4096) },
  });
  await new HolderRoles(ctx).ofMember(call.user.id);
}

async function showLicense(call: Invocation, ctx: ModuleContext): Promise<void> {
  const key = String(call.options['key']).trim();
  try {
    const license = await ctx.graphql(LicenseForStaffDocument, { key });
    const banned = license.user?.status === 'banned' ? ' (the user is banned)' : '';
    const fields = [
      ['Status', standingOf(license, ctx.now()) + banned],
      ['Product', license.productName ?? 'none'],
      ['Customer', license.customerName ?? 'none'],
      ['User', license.userId ?? 'none'],
      ['Expires', license.expiresAt === null ? 'never' : timeOf(license.expiresAt)],
      ['Seats', license.seats === -1 ? 'any number' : String(license.seats)],
      ['Addons', license.addonNames.join(', ') || 'none'],
    ].map(([name = '', value = '']) => ({ name, value: value.slice(0, 1024), inline: true }));
    await call.reply({ embed: { title: `…${license.key.slice(-6)}`, fields } });
  } catch (error) {
    if ((error as { code?: string }).code !== 'LICENSE_NOT_FOUND') throw error;
    await call.reply('There is no such license.');
  }
}

async function licensesOf(
  userId: string,
  ctx: ModuleContext,
): Promise<readonly (HeldLicense & { key: string })[]> {
  try {
    return (await ctx.graphql(LicensesOfDiscordUserDocument, { provider_id: userId })).nodes;
  } catch (error) {
    // Nobody has linked this account to anything.
    if ((error as { code?: string }).code === 'USER_NOT_FOUND') return [];
    throw error;
  }
}

function lineOf(license: HeldLicense & { readonly key: string }, now: Date): string {
  const { key, productName, expiresAt } = license;
  const until = expiresAt === null ? '' : `, until ${timeOf(expiresAt)}`;
  return `**${productName ?? 'No product'}** \`${key}\` ${standingOf(license, now)}${until}`;
}

/** As each reader's own client shows it. */
function timeOf(instant: string | Date): string {
  return `<t:${Math.floor(new Date(instant).getTime() / 1000)}:D>`;
}
