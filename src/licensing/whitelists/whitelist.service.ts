import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { counted } from '../../platform/counted.js';
import { flushUnique } from '../../platform/db/flush-unique.js';
import { AlreadyExists, NotFound, failure } from '../../platform/errors.js';
import { diff } from '../../platform/events/emit.js';
import type { EventData } from '../../platform/events/emit.js';
import { isUpdated } from '../custom-fields/named-record.service.js';
import { emit } from '../events.js';
import { removeDetached } from '../products/product-attachment.service.js';
import { Whitelist } from './whitelist.entity.js';
import type { WhitelistType } from './whitelist.entity.js';
import { countValues } from './whitelist.repository.js';
import { checkLimit, checkSource } from './whitelist.rules.js';

const LIMIT_DEFAULT = 1;

interface WhitelistFields {
  /** For type `header` only. */
  readonly header?: string | null;
  /** For type `field` only. */
  readonly field?: string | null;
  /** -1 unlimited, 0 closed, else 1–1000 values a license. */
  readonly limit?: number | null;
  readonly global?: boolean | null;
}

export interface WhitelistInput extends WhitelistFields {
  readonly name: string;
  readonly type: WhitelistType;
}

export interface WhitelistChange extends WhitelistFields {
  readonly newName?: string | null;
  readonly type?: WhitelistType | null;
}

export async function createWhitelist(
  em: EntityManager,
  ctx: ActionContext,
  input: WhitelistInput,
): Promise<Whitelist> {
  const source = checkSource({ type: input.type, header: input.header ?? null, field: input.field ?? null });
  const now = ctx.clock.now();
  const whitelist = em.create(Whitelist, {
    name: input.name,
    ...source,
    limit: checkLimit(input.limit ?? LIMIT_DEFAULT),
    global: input.global ?? false,
    createdAt: now,
    updatedAt: now,
  });
  em.persist(whitelist);
  await flushUnique(em, () => new AlreadyExists('whitelist', input.name));
  await emit(em, ctx, 'whitelist.created', {
    resource: refOf(whitelist),
    changes: diff({}, viewOf(whitelist)),
    data: dataOf(whitelist),
  });
  return whitelist;
}

/** Changes what was sent. Values stay, whatever the new limit; a list that holds some can't become one of addresses. */
export async function updateWhitelist(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
  change: WhitelistChange,
): Promise<Whitelist> {
  const whitelist = await findWhitelistForUpdate(em, name);
  const before = viewOf(whitelist);
  await changeSource(em, whitelist, change);
  if (change.limit != null) whitelist.limit = checkLimit(change.limit);
  if (change.global != null) whitelist.global = change.global;
  if (change.newName != null) whitelist.name = change.newName;
  await flushUnique(em, () => new AlreadyExists('whitelist', whitelist.name));
  const changes = diff(before, viewOf(whitelist));
  if (await isUpdated(em, ctx, whitelist, changes)) {
    await emit(em, ctx, 'whitelist.updated', {
      resource: refOf(whitelist),
      changes,
      data: dataOf(whitelist),
    });
  }
  return whitelist;
}

/** Deletes the list with all values that licenses hold on it; the entry tells how many. Products lose it. */
export async function deleteWhitelist(em: EntityManager, ctx: ActionContext, name: string): Promise<void> {
  const whitelist = await findWhitelistForUpdate(em, name);
  const values = await countValues(em, whitelist.id);
  const last = { resource: refOf(whitelist), data: dataOf(whitelist) };
  await removeDetached(em, ctx, 'whitelist', whitelist);
  await emit(em, ctx, 'whitelist.deleted', { ...last, changes: diff({ values }, { values: 0 }) });
}

async function findWhitelistForUpdate(em: EntityManager, name: string): Promise<Whitelist> {
  const whitelist = await em.findOne(Whitelist, { name }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!whitelist) throw new NotFound('whitelist', name);
  return whitelist;
}

async function changeSource(em: EntityManager, whitelist: Whitelist, change: WhitelistChange): Promise<void> {
  const type = change.type ?? whitelist.type;
  // Under another type, the name that the old one read is of no use and goes by itself.
  const { header, field } = type === whitelist.type ? whitelist : { header: null, field: null };
  const source = checkSource({ type, header: kept(change.header, header), field: kept(change.field, field) });
  if (type === 'ip' && whitelist.type !== 'ip') {
    const count = await countValues(em, whitelist.id);
    if (count > 0) {
      const [addresses, them] = count === 1 ? ['address', 'it'] : ['addresses', 'them'];
      throw failure(
        'IN_USE',
        `Licenses hold ${counted(count, 'value')} on the whitelist "${whitelist.name}", which may be no ${addresses}; clear ${them} first`,
      );
    }
  }
  Object.assign(whitelist, source);
}

function kept(sent: string | null | undefined, stored: string | null): string | null {
  return sent === undefined ? stored : sent;
}

function viewOf({ name, type, header, field, limit, global }: Whitelist): Record<string, unknown> {
  return { name, type, header, field, limit, global };
}

/** As REST returns it. */
function dataOf(whitelist: Whitelist): EventData {
  const { id, createdAt, updatedAt } = whitelist;
  return { id, ...viewOf(whitelist), createdAt, updatedAt };
}

function refOf(whitelist: Whitelist) {
  return { type: 'whitelist', id: whitelist.name };
}
