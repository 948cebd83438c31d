import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { instant } from './instant.js';
import {
  CliAddMappingDocument,
  CliListMappingsDocument,
  CliListPurchasesDocument,
  CliRemoveMappingDocument,
  CliReplayPurchasesDocument,
} from './marketplace.generated.js';
import type {
  CliListMappingsQuery,
  CliMappingFragment,
  CliPurchaseFragment,
  PurchaseStatus,
} from './marketplace.generated.js';
import { table } from './table.js';

/** As an object, so that one that the schema gains and this list lacks does not compile. */
const STATUSES = {
  ...{ pending: true, claimed: true, refunded: true, chargeback: true, failed: true },
} satisfies Record<PurchaseStatus, true>;

interface AddOptions {
  readonly product: string;
  readonly ofAddon?: string;
  readonly marketplace?: string;
  readonly addon?: string[];
  readonly days?: number;
  readonly seats?: number;
  readonly renewalDays?: number;
}

interface PurchasesOptions {
  readonly sale?: string;
  readonly status?: PurchaseStatus;
  readonly resource?: string;
  readonly buyer?: string;
  readonly user?: string;
  readonly limit: number;
}

interface ReplayOptions {
  readonly sale?: string[];
  readonly resource?: string;
}

/** `marketplace mappings list | add | remove`, `marketplace purchases`, `marketplace replay`. */
export function addMarketplaceCommands(program: Command): void {
  const marketplace = program
    .command('marketplace')
    .description('Marketplaces: which product a resource is, what was bought, and what is in the way');
  const mappings = marketplace.command('mappings').description('Which product a resource is');
  mappings.command('list').description('Every mapping').action(listMappings);
  mappings
    .command('add <resourceId>')
    .description('Map a resource; purchases of it that have failed for want of it are made good')
    .requiredOption('--product <name>', 'the product that its licenses are for')
    .option('--of-addon <addonId>', "one of the resource's addons is mapped, and not the resource itself")
    .option('--marketplace <name>', 'on this marketplace only, e.g. builtbybit or polymart')
    .option(
      '--addon <name>',
      'an addon that its licenses hold, or that an addon puts on them; repeatable',
      gather,
    )
    .option('--days <n>', 'how long a license lasts; without it, for ever', wholeNumber)
    .option('--seats <n>', 'sessions at a time; without it, any number', wholeNumber)
    .option('--renewal-days <n>', 'what a renewal adds; without it, 30', wholeNumber)
    .action(addMapping);
  mappings
    .command('remove <id>')
    .description('Remove a mapping; what was bought stays as it is')
    .action(removeMapping);
  marketplace
    .command('purchases')
    .description('The last purchases, newest first')
    .option('--sale <saleId>', 'this one')
    .addOption(new Option('--status <status>').choices(Object.keys(STATUSES)))
    .option('--resource <resourceId>', 'only those of this resource')
    .option('--buyer <purchaserId>', 'only those by this account at the marketplace')
    .option('--user <userId>', 'only those that this user has claimed')
    .option('--limit <n>', 'how many, up to 500', wholeNumber, 50)
    .action(listPurchases);
  marketplace
    .command('replay')
    .description('Have jobs look at purchases again: those that something is in the way of, or those named')
    .option('--sale <saleId>', 'this one, whatever its state; repeatable', gather)
    .option('--resource <resourceId>', 'only those of this resource')
    .action(replay);
}

function gather(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function wholeNumber(text: string): number {
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('This is not a whole number.');
}

async function listMappings(_options: unknown, command: Command): Promise<void> {
  const all: CliMappingFragment[] = [];
  for (let after: string | null = null; ;) {
    const { mappings }: CliListMappingsQuery = await ask(command, CliListMappingsDocument, { after });
    all.push(...mappings.nodes);
    if (!mappings.pageInfo.hasNextPage) break;
    after = mappings.pageInfo.endCursor;
  }
  answer(command, { json: all, text: tableOfMappings(all) });
}

async function addMapping(resourceId: string, options: AddOptions, command: Command): Promise<void> {
  const { added } = await ask(command, CliAddMappingDocument, {
    input: {
      resourceId,
      product: options.product,
      addonId: options.ofAddon,
      marketplace: options.marketplace,
      addons: options.addon,
      durationDays: options.days,
      seats: options.seats,
      renewalDays: options.renewalDays,
    },
  });
  answer(command, { json: added, text: tableOfMappings([added]) });
}

async function removeMapping(id: string, _options: unknown, command: Command): Promise<void> {
  const { removed } = await ask(command, CliRemoveMappingDocument, { id: wholeNumber(id) });
  answer(command, { json: removed, text: `The mapping ${id} is removed.` });
}

async function listPurchases(options: PurchasesOptions, command: Command): Promise<void> {
  const { purchases } = await ask(command, CliListPurchasesDocument, {
    first: options.limit,
    filter: {
      saleId: options.sale,
      status: options.status,
      resourceId: options.resource,
      purchaserId: options.buyer,
      user: options.user,
    },
  });
  answer(command, { json: purchases.nodes, text: tableOfPurchases(purchases.nodes) });
}

async function replay(options: ReplayOptions, command: Command): Promise<void> {
  const input = { saleIds: options.sale, resourceId: options.resource };
  const { replayed } = await ask(command, CliReplayPurchasesDocument, { input });
  answer(command, { json: replayed, text: `Jobs look at ${replayed.queued} purchases again.` });
}

function tableOfMappings(mappings: readonly CliMappingFragment[]): string {
  const rows = mappings.map((mapping) => [
    ...[String(mapping.id), mapping.marketplace ?? 'any', mapping.resourceId, mapping.addonId ?? '–'],
    ...[
      mapping.product ?? '–',
      mapping.addons.join(', ') || '–',
      mapping.durationDays?.toString() ?? 'for ever',
    ],
    ...[mapping.seats === -1 ? 'any' : String(mapping.seats), String(mapping.renewalDays)],
  ]);
  const headings = [
    'ID',
    'MARKETPLACE',
    'RESOURCE',
    'ITS ADDON',
    'PRODUCT',
    'ADDONS',
    'DAYS',
    'SEATS',
    'RENEWAL',
  ];
  return table(headings, rows);
}

function tableOfPurchases(purchases: readonly CliPurchaseFragment[]): string {
  const rows = purchases.map((purchase) => [
    ...[purchase.saleId, instant(purchase.purchaseDate ?? purchase.createdAt), purchase.resourceId ?? '–'],
    ...[purchase.username ?? purchase.purchaserId ?? '–', purchase.status, purchase.licenseKey ?? '–'],
    ...[purchase.userId ?? '–', purchase.problem ?? ''],
  ]);
  return table(['SALE', 'BOUGHT', 'RESOURCE', 'BUYER', 'STATUS', 'LICENSE', 'USER', 'PROBLEM'], rows);
}
