/**
 * What hand-written SQL and JSON.stringify reach with licenses: all of them as one streamed array (GET), by a cursor, and
 * one page of 500 with product, customer, addons and whitelists (POST). No credentials, schema, log or errors.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });

const ALL = `
  select l.id, l.key, p.name as product, c.name as customer, u.user_id, l.status, l.expires_at, l.seats, l.note,
         array(select a.name from license_addon la join addon a on a.id = la.addon_id
                where la.license_id = l.id order by a.name) as addons,
         (select coalesce(json_object_agg(w.name, w.values), '{}')
            from (select wl.name, array_agg(v.value) as values
                    from license_whitelist_value v join whitelist wl on wl.id = v.whitelist_id
                   where v.license_id = l.id group by wl.name) w) as whitelists,
         l.created_at as "createdAt", l.updated_at as "updatedAt"
    from license l
    left join product p on p.id = l.product_id
    left join customer c on c.id = l.customer_id
    left join app_user u on u.id = l.user_id
   order by l.id`;

async function sendAll(res) {
  const client = await pool.connect();
  await client.query('begin');
  await client.query(`declare every cursor for ${ALL}`);
  res.writeHead(200, { 'content-type': 'application/json' });
  let separator = '[';
  for (;;) {
    const { rows } = await client.query('fetch 500 from every');
    if (rows.length === 0) break;
    const text = separator + rows.map((row) => JSON.stringify(row)).join(',');
    separator = ',';
    if (!res.write(text)) await once(res, 'drain');
  }
  res.end(separator === '[' ? '[]' : ']');
  await client.query('commit');
  client.release();
}

async function sendPage(res) {
  const { rows } = await pool.query({ name: 'page', text: `${ALL} limit 500` });
  const nodes = rows.map(({ product, customer, ...row }) => ({
    ...row,
    product: { name: product },
    customer: { name: customer },
  }));
  const text = JSON.stringify({ data: { licenses: { nodes } } });
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(text);
}

createServer((req, res) => {
  req.resume();
  req.on('end', () => (req.method === 'GET' ? sendAll(res) : sendPage(res)));
}).listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log('ready');
});
