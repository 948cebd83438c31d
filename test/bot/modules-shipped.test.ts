import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  heldProducts,
  isRedeemCode,
  roleProducts,
  rolesFor,
} from '../../src/bot/modules/licensing/held-products.rules.js';
import type { Interaction } from '../../src/bot/sandbox/interactions.js';
import type { WorldMember } from '../../src/bot/sandbox/world.js';
import { startModulesBot } from '../support/bot-modules.js';
import type { ModulesBot } from '../support/bot-modules.js';
import { until } from '../support/embedded-postgres-kit.js';

const SECRET = 'the marketplace secret of this test';

let bot: ModulesBot;
let grace: WorldMember;
let role: string;

const configure = async (id: string, group: string, values: object) => {
  const response = await bot.bot('POST', '/api/modules/config', { id, group, values });
  if (response.status !== 200) throw new Error(response.text);
};
const answer = async (interaction: Interaction) => {
  await until(() => interaction.message !== undefined);
  const { message } = interaction;
  const text = String(message?.['content']) + JSON.stringify(message?.['embeds']);
  return { text, isEphemeral: (Number(message?.['flags']) & 64) !== 0 };
};
const slash = (member: string, name: string, options: Record<string, string> = {}) => {
  const sent = Object.entries(options).map(([key, value]) => ({ name: key, type: 3, value }));
  return answer(bot.sandbox.users.slash(member, 'general', name, sent));
};
const join = (member: WorldMember) => {
  const { world, gateway } = bot.sandbox;
  gateway.dispatch('GUILD_MEMBER_ADD', { ...world.memberPayload(member), guild_id: world.guild.id });
};
const says = (channel: string, text: string) => bot.written(channel).some((each) => each.includes(text));
let sales = 0;
const buy = async () => {
  const sale = { secret: SECRET, sale_id: `sale-${(sales += 1)}`, resource_id: '77', user_id: `${sales}` };
  const { body } = await bot.anonymous('POST', '/marketplace/webhook', sale);
  return body as { sale_id: string; redeem: string; license_key: string };
};

beforeAll(async () => {
  bot = await startModulesBot({}, { env: { MARKETPLACE_SECRET: SECRET } });
  grace = bot.sandbox.world.member('grace');
  role = bot.sandbox.world.addRole('customer').id;
  await bot.seed.product({ name: 'Shop' });
  const { errors } = await bot.graphql(
    'mutation ($input: CreateMarketplaceMappingInput!) { createMarketplaceMapping(input: $input) { id } }',
    { input: { resourceId: '77', product: 'Shop' } },
  );
  expect(errors).toEqual([]);
  await bot.post('start');
  await configure('licensing', 'roles', { holders: [`Shop = ${role}`] });
});

describe('licensing', () => {
  it('/redeem claims a purchase that came in by the webhook, links the identity and gives the role', async () => {
    const { redeem, license_key: key, sale_id } = await buy();
    const { text, isEphemeral } = await slash('grace', 'redeem', {
      code: redeem.toLowerCase().replaceAll('-', ' '),
    });
    expect([text, isEphemeral]).toEqual([expect.stringContaining(key), true]);
    await until(() => grace.roles.includes(role));
    const { body } = await bot.rest('GET', `/identities?provider=discord&provider_id=${grace.user.id}`);
    expect(body).toMatchObject([{ provider: 'discord', metadata: { username: 'grace' } }]);
    const [purchase] = (await bot.rest('GET', `/marketplace/purchases?sale_id=${sale_id}`)).body;
    expect(purchase).toMatchObject({ status: 'claimed', user_id: body[0].user_id });
    const activity = await bot.sql<{ actor: string }>(
      `select actor from activity where event = 'purchase.claimed'`,
    );
    expect(activity).toEqual([{ actor: 'module:licensing' }]);
  });

  it("/redeem refuses: a wrong code, a sale id, and what is another's", async () => {
    expect((await slash('ada', 'redeem', { code: 'AAAAA-AAAAA-AAAAA-AAAAA' })).text).toContain(
      'no such code',
    );
    const { sale_id } = await buy();
    expect((await slash('ada', 'redeem', { code: sale_id })).text).toContain('no such code');
    const { redeem } = await buy();
    await slash('grace', 'redeem', { code: redeem });
    expect((await slash('ada', 'redeem', { code: redeem })).text).toContain('redeemed by somebody else');
  });

  it("/licenses shows one's own, and to those without any how to get one", async () => {
    const { text, isEphemeral } = await slash('grace', 'licenses');
    expect([text, isEphemeral]).toEqual([expect.stringMatching(/\*\*Shop\*\* .* valid/), true]);
    expect((await slash('ada', 'licenses')).text).toContain('You have no licenses');
  });

  it('/validate is for staff, and shows how a license stands without opening a session', async () => {
    const [license] = (await bot.rest('GET', `/users/licenses?provider=discord&provider_id=${grace.user.id}`))
      .body;
    const shown = await slash('ada', 'validate', { key: license.key });
    expect(shown.text).toContain('"valid"');
    expect(shown.text).toContain('Shop');
    expect((await slash('ada', 'validate', { key: 'nothing-of-the-kind' })).text).toContain(
      'no such license',
    );
    expect((await bot.rest('GET', '/sessions')).body).toEqual([]);
    expect(
      (await bot.bot('GET', '/api/commands')).body.commands.find(
        (each: { name: string }) => each.name === 'validate',
      ),
    ).toMatchObject({ rules: { permissions: ['ManageGuild'], ephemeral: true }, prefix: false });
  });

  it('the role is taken when no license is valid any more, and given again when one is', async () => {
    const { body } = await bot.rest('GET', `/users/licenses?provider=discord&provider_id=${grace.user.id}`);
    // Nobody looks at everyone within this test, unless told to.
    await configure('licensing', 'roles', { interval: '1d' });
    for (const { key } of body) await bot.rest('PATCH', '/licenses', { key, status: 'suspended' });
    await until(() => !grace.roles.includes(role));
    const [{ key }] = body;
    await bot.rest('PATCH', '/licenses', { key, status: 'active' });
    await until(() => grace.roles.includes(role));
    const expires_at = new Date(bot.clock.now().getTime() + 3_600_000).toISOString();
    // Taken by hand, and given again by a look at everyone that comes after the change: it has seen the expiry.
    grace.roles = [];
    const { world, gateway } = bot.sandbox;
    gateway.dispatch('GUILD_MEMBER_UPDATE', { ...world.memberPayload(grace), guild_id: world.guild.id });
    let looks = 0;
    await until(async () => {
      await bot.rest('PATCH', '/licenses', { key, expires_at, note: `look ${(looks += 1)}` });
      return grace.roles.includes(role);
    });
    bot.clock.set(expires_at);
    await until(() => !grace.roles.includes(role));
    await bot.rest('PATCH', '/licenses', { key, expires_at: null });
    await until(() => grace.roles.includes(role));
  });

  it('the role is taken from whoever is unlinked, also while the bot is stopped', async () => {
    const account = { provider: 'discord', provider_id: grace.user.id };
    const path = `/identities?provider=discord&provider_id=${grace.user.id}`;
    const [{ user_id }] = (await bot.rest('GET', path)).body;
    expect((await bot.rest('DELETE', '/identities', account)).status).toBe(200);
    await until(() => !grace.roles.includes(role));
    await bot.rest('POST', '/identities', { ...account, user_id });
    await until(() => grace.roles.includes(role));
    await bot.post('stop');
    await bot.rest('DELETE', '/identities', account);
    await bot.post('start');
    await until(() => !grace.roles.includes(role));
    await bot.rest('POST', '/identities', { ...account, user_id });
    await until(() => grace.roles.includes(role));
  });

  it('whoever is not linked keeps a role that was given by hand', async () => {
    const ada = bot.sandbox.world.member('ada');
    ada.roles.push(role);
    await configure('licensing', 'roles', { interval: '30m' });
    await slash('grace', 'licenses');
    expect(ada.roles).toContain(role);
  });

  it('roles follow from products, whatever is held', () => {
    const product = fc.constantFrom('A', 'B = b', 'C');
    const lines = fc.array(fc.tuple(product, fc.constantFrom('1'.repeat(18), '2'.repeat(18))));
    fc.assert(
      fc.property(lines, fc.array(product), (pairs, names) => {
        const products = roleProducts(pairs.map(([name, id]) => `${name} = ${id}`));
        const { due, undue } = rolesFor(new Set(names), products);
        expect([...due, ...undue].sort()).toEqual([...new Set(pairs.map(([, id]) => id))].sort());
        for (const id of due)
          expect(pairs.some(([name, at]) => at === id && names.includes(name))).toBe(true);
        for (const id of undue)
          expect(pairs.some(([name, at]) => at === id && names.includes(name))).toBe(false);
      }),
    );
    const license = { status: 'active', expiresAt: null, productName: 'A' };
    const holder = (status: string) => ({ providerId: '1', user: { status, licenses: [license] } });
    const now = new Date('2026-01-01T00:00:00Z');
    expect([...heldProducts(holder('active'), now)]).toEqual(['A']);
    expect([...heldProducts(holder('banned'), now)]).toEqual([]);
    expect(['AAAAA-BBBBB-CCCCC-DDDDD', '12345', 'sale-1'].map(isRedeemCode)).toEqual([true, false, false]);
  });
});

describe('welcome', () => {
  it('greets, gives the role and says goodbye, as it is set; the greeting may be a template', async () => {
    const { world } = bot.sandbox;
    const channel = world.channel('general').id;
    const newcomers = world.addRole('newcomer').id;
    await configure('welcome', 'joining', { channel, role: newcomers });
    await configure('welcome', 'leaving', { enabled: true });
    expect((await bot.toggle('welcome', true)).status).toBe(200);
    const [bob, eve] = [world.addMember('bob'), world.addMember('eve')];
    join(bob);
    await until(() => says('general', `Welcome to Sandbox, <@${bob.user.id}>!`));
    await until(() => bob.roles.includes(newcomers));
    const { body } = await bot.bot('POST', '/api/messages', {
      name: 'greeting',
      content: 'Hi {user}',
      embed: { title: '{server} in {channel} on {date}' },
    });
    await configure('welcome', 'joining', { template: body.id });
    await until(async () => (await slash('ada', 'welcome')).text.includes('Sandbox in <#'));
    join(eve);
    await until(() => says('general', `Hi <@${eve.user.id}>`));
    bot.sandbox.gateway.dispatch('GUILD_MEMBER_REMOVE', { guild_id: world.guild.id, user: bob.user });
    await until(() => says('general', 'bob has left Sandbox.'));
  });
});

describe('utility', () => {
  it('/say writes in the name of the bot, pings nobody, and tells who let it', async () => {
    const { world, users } = bot.sandbox;
    const target = world.addChannel('news');
    world.addChannel('staff-log');
    bot.sandbox.gateway.dispatch('CHANNEL_CREATE', {
      ...world.channelPayload(target),
      guild_id: world.guild.id,
    });
    const options = [
      { name: 'channel', type: 7, value: target.id },
      { name: 'text', type: 3, value: 'Hello {server}, @everyone' },
    ];
    expect((await answer(users.slash('ada', 'general', 'say', options))).text).toContain(
      `Sent to <#${target.id}>`,
    );
    expect(bot.written('news')).toEqual(['Hello Sandbox, @everyone']);
  });

  it('/ping is a sign of life', async () => {
    expect((await slash('grace', 'ping')).text).toContain('Pong!');
  });
});

describe('audit', () => {
  it('posts what happens to its target: who changed what, and nothing that pings or breaks out', async () => {
    const { world } = bot.sandbox;
    const [log, licenses] = [world.addChannel('audit'), world.addChannel('license-log')];
    expect((await bot.toggle('audit', true)).status).toBe(200);
    const write = {
      id: 'audit',
      channel: log.id,
      events: { license: { enabled: true, channel: licenses.id } },
    };
    expect((await bot.bot('POST', '/api/modules/logging', write)).status).toBe(200);
    let n = 0;
    await until(async () => {
      await bot.seed.customer({ name: `customer \`@everyone\` ${(n += 1)}` });
      return says('audit', 'customer.created');
    });
    expect(bot.written('audit').join('\n')).toMatch(
      /\*\*customer\.created\*\* `customer '@everyone' \d+` by `api_key:\*`/,
    );
    const { key } = await bot.seed.license({ note: 'x' });
    await bot.rest('PATCH', '/licenses', { key, status: 'suspended' });
    await until(() => says('license-log', 'status `active` → `suspended`'));
    expect(bot.written('license-log').join('\n')).not.toContain(key);
    await configure('audit', 'posts', { ignore: ['customer.*'] });
    await until(() => says('audit', 'bot.module.configured'));
    await bot.seed.customer({ name: 'ignored' });
    await bot.seed.addon({ name: 'seen' });
    await until(() => says('audit', '`seen`'));
    expect(says('audit', '`ignored`')).toBe(false);
  });

  it('posts each entry once and in order, and none of before it was switched on', async () => {
    const posted = () =>
      bot
        .written('audit')
        .join('\n')
        .match(/(?<=addon\.created\*\* `)once-\d+/g);
    const thirty = Array.from({ length: 30 }, (_, n) => `once-${n}`);
    // Across a power of ten: the ids are numbers, and come as text.
    await bot.sql("select setval('activity_id_seq', 9985)");
    for (const name of thirty) await bot.seed.addon({ name });
    await until(() => says('audit', '`once-29`'));
    expect(posted()).toEqual(thirty);
    for (const enabled of [false, true]) await bot.toggle('audit', enabled);
    let n = 30;
    await until(async () => {
      await bot.seed.addon({ name: `once-${n++}` });
      return (posted()?.length ?? 0) > thirty.length;
    });
    expect(posted()?.slice(0, 31)).toEqual([...thirty, expect.stringMatching(/once-[3-9]\d/)]);
  });
});
