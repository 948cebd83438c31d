import type { EntityManager } from '@mikro-orm/postgresql';
import type { ActionContext } from '../../platform/context.js';
import { diff } from '../../platform/events/emit.js';
import { namedRecordData } from '../custom-fields/named-record-data.service.js';
import { CUSTOMER } from '../custom-fields/named-records.js';
import {
  changeNamed,
  createNamed,
  findNamedForUpdate,
  isUpdated,
  namedView,
} from '../custom-fields/named-record.service.js';
import type { NamedChange, NamedInput } from '../custom-fields/named-record.service.js';
import { emit } from '../events.js';
import { releaseLicenses } from '../licenses/license-release.service.js';
import type { Customer } from './customer.entity.js';

export async function createCustomer(
  em: EntityManager,
  ctx: ActionContext,
  input: NamedInput,
): Promise<Customer> {
  const customer = await createNamed(em, ctx, CUSTOMER, input);
  await emit(em, ctx, 'customer.created', {
    resource: refOf(customer),
    changes: diff({}, namedView(customer)),
    data: () => dataOf(em, customer),
  });
  return customer;
}

export async function updateCustomer(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
  change: NamedChange,
): Promise<Customer> {
  const customer = await findNamedForUpdate(em, CUSTOMER, name);
  const before = namedView(customer);
  await changeNamed(em, CUSTOMER, customer, change);
  const changes = diff(before, namedView(customer));
  if (await isUpdated(em, ctx, customer, changes)) {
    await emit(em, ctx, 'customer.updated', {
      resource: refOf(customer),
      changes,
      data: () => dataOf(em, customer),
    });
  }
  return customer;
}

/** A customer that licenses refer to is `IN_USE`, unless `force`, which unlinks and suspends them. */
export async function deleteCustomer(
  em: EntityManager,
  ctx: ActionContext,
  name: string,
  options: { readonly force: boolean },
): Promise<void> {
  const customer = await findNamedForUpdate(em, CUSTOMER, name);
  await releaseLicenses(
    em,
    ctx,
    { column: 'customer_id', record: CUSTOMER.kind, id: customer.id, name },
    options,
  );
  await emit(em, ctx, 'customer.deleted', { resource: refOf(customer), data: () => dataOf(em, customer) });
  em.remove(customer);
  await em.flush();
}

function dataOf(em: EntityManager, customer: Customer) {
  return namedRecordData(em, CUSTOMER, customer);
}

function refOf(customer: Customer) {
  return { type: 'customer', id: customer.name };
}
