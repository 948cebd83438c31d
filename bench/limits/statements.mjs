/** What the exact limits of a validation and of a heartbeat ask PostgreSQL, for all requests of the moment. */

export const VALIDATE = {
  name: 'validate',
  text: `
    with asked as (
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as a (lookup, token, ip, agent, n)
    ), found as (
      select a.*, l.id, l.status, l.expires_at, p.name as product, c.name as customer
        from asked a
        join license l on l.lookup = a.lookup
        left join product p on p.id = l.product_id
        left join customer c on c.id = l.customer_id
    ), written as (
      insert into session as s (token, license_id, identifier, ip, agent, ttl, last_seen, expires_at, created_at)
        select distinct on (id, ip) token, id, ip, ip, agent, 600, now(), now() + interval '600 s', now() from found
         order by id, ip
        on conflict (license_id, identifier) do update
          set last_seen = excluded.last_seen, expires_at = excluded.expires_at
        returning s.license_id, s.identifier, s.token
    )
    select f.n, f.status, f.expires_at, f.product, f.customer, w.token
      from found f join written w on w.license_id = f.id and w.identifier = f.ip`,
};

export const HEARTBEAT = {
  name: 'heartbeat',
  text: `
    with asked as (select * from unnest($1::text[]) with ordinality as a (token, n)),
    renewed as (
      update session s set last_seen = now(), expires_at = now() + interval '600 s'
        from (select s.token from session s join asked on asked.token = s.token order by s.token for update of s) locked
       where s.token = locked.token returning s.token, s.expires_at)
    select n, expires_at from asked join renewed on renewed.token = asked.token`,
};
