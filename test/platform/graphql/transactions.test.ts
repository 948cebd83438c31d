import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../../support/app.js';
import type { TestApp } from '../../support/app.js';
import { logLines } from '../../support/log-lines.js';
import type { LogLines } from '../../support/log-lines.js';
import { recordStatements } from '../../support/statements.js';

let app: TestApp;
let log: LogLines;

beforeAll(async () => {
  log = logLines();
  app = await startApp({ log: log.log });
});

const names = async () => {
  const rows = await app.sql<{ name: string }>('select name from product order by name');
  return rows.map((row) => row.name);
};
const events = async (name: string) => {
  const rows = await app.sql<{ event: string }>('select event from activity where resource_id = $1', [name]);
  return rows.map((row) => row.event);
};

describe('each mutation is one transaction', () => {
  it('two in one request: the second fails, the first stays', async () => {
    const { data, errors } = await app.graphql(`mutation {
      one: createProduct(input: { name: "First" }) { name }
      two: updateProduct(name: "Nobody", input: { newName: "Somebody" }) { name }
    }`);
    expect(errors.map((error) => [error.path, error.extensions['code']])).toEqual([
      [['two'], 'PRODUCT_NOT_FOUND'],
    ]);
    expect(data).toBeNull();
    expect(await names()).toEqual(['First']);
    expect(await events('First')).toEqual(['product.created']);
  });

  it('one that fails after its first statement leaves nothing, not even its event', async () => {
    const { errors } = await app.graphql(
      'mutation { createProduct(input: { name: "Half", addons: ["No such addon"] }) { name } }',
    );
    expect(errors[0]?.extensions).toMatchObject({
      code: 'INVALID_FIELD',
      errors: [{ pointer: '/addons', code: 'INVALID_FIELD' }],
    });
    expect(await names()).not.toContain('Half');
    expect(await events('Half')).toEqual([]);
  });

  it('begins and commits once each; a query does neither', async () => {
    const statements = await recordStatements(app.orm);
    const control = (sent: string[]) => sent.filter((text) => /^(begin|commit|rollback)/i.test(text));
    const mutations = await statements.during(() =>
      app.graphql(`mutation {
        one: createProduct(input: { name: "One" }) { name }
        two: createProduct(input: { name: "One" }) { name }
      }`),
    );
    expect(control(mutations)).toEqual(['begin', 'commit', 'begin', 'rollback']);
    const query = await statements.during(() => app.graphql('{ products { nodes { name } } }'));
    expect(control(query)).toEqual([]);
  });

  it('the answer shows what was written, not what was loaded before it', async () => {
    const { data } = await app.graphql(`mutation {
      one: createProduct(input: { name: "Shown" }) { addonNames }
      addon: createAddon(input: { name: "New" }) { name }
      two: updateProduct(name: "Shown", input: { addons: ["New"] }) { addonNames }
      three: updateProduct(name: "Shown", input: { addons: [] }) { addonNames }
    }`);
    expect([data.one.addonNames, data.two.addonNames, data.three.addonNames]).toEqual([[], ['New'], []]);
  });

  it('20 changes of the same record at once all arrive', async () => {
    await app.rest('POST', '/products', { name: 'Busy' });
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        app.graphql(`mutation { updateProduct(name: "Busy", input: { sessionTtl: ${60 + index} }) { id } }`),
      ),
    );
    expect(responses.flatMap((response) => response.errors)).toEqual([]);
    const updates = (await events('Busy')).filter((event) => event === 'product.updated');
    expect(updates.length).toBe(20);
  });

  it('a deadlock is run again, with and without an Idempotency-Key', async () => {
    for (const name of ['Left', 'Right']) await app.rest('POST', '/products', { name });
    // Each change of one also locks the other, once both are under way, so they wait for each other in a circle.
    await app.sql('create sequence arrivals');
    await app.sql(`create function cross_lock() returns trigger language plpgsql as $$
      begin
        perform nextval('arrivals');
        while (select last_value from arrivals) < 2 loop end loop;
        perform 1 from product where name in ('Left', 'Right') and id <> new.id for update;
        return new;
      end $$`);
    const conflicts = () =>
      log.at('debug').filter((line) => line['msg'] === 'transaction runs again after a conflict').length;
    await app.sql(
      'create trigger cross_lock after update on product for each row execute function cross_lock()',
    );
    const change = (name: string) => app.rest('PATCH', '/products', { name, session_ttl: 99 });
    const changed = await Promise.all([change('Left'), change('Right')]);
    expect(changed.map((response) => response.status)).toEqual([200, 200]);
    // At least one of them; both, when Postgres looks at both in the same moment.
    const first = conflicts();
    expect(first).toBeGreaterThan(0);

    await app.sql("select setval('arrivals', 1, false)");
    await app.sql(`create function touch() returns trigger language plpgsql as $$
      begin
        if new.name like 'Touches %' then
          update product set updated_at = now() where name = substr(new.name, 9);
        end if;
        return new;
      end $$`);
    await app.sql('create trigger touch after insert on product for each row execute function touch()');
    const create = (name: string) =>
      app.rest('POST', '/products', { name }, { headers: { 'idempotency-key': name.replace(' ', '-') } });
    const created = await Promise.all([create('Touches Left'), create('Touches Right')]);
    expect(created.map((response) => response.status)).toEqual([201, 201]);
    expect(conflicts()).toBeGreaterThan(first);
  });
});
