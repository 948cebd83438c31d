import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ipaddr from 'ipaddr.js';
import { parse } from 'yaml';
import { OPTION_ROWS, environmentName } from '../../src/config/options.js';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, { readonly ipv4_address?: string }>>;
  readonly depends_on?: readonly string[] | Readonly<Record<string, object>>;
}

interface Range {
  readonly subnet: string;
  readonly ip_range: string;
}

const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly networks: { readonly inside: { readonly ipam: { readonly config: readonly Range[] } } };
};
const services = Object.entries(compose.services);
const programs = services.filter(([, { image }]) => image === 'licensing-gateway');

describe('docker-compose.yml', () => {
  it('sets options that there are, in all of our containers', () => {
    const options = new Set(OPTION_ROWS.map(([key]) => environmentName(key)));
    expect(programs.map(([name]) => name)).toEqual(['migrate', 'gateway-1', 'gateway-2', 'worker', 'bot']);
    const set = programs.flatMap(([, { environment = {} }]) => Object.keys(environment));
    expect(set.filter((name) => !options.has(name))).toEqual([]);
  });

  it('mounts files and volumes that there are, and depends on services that there are', () => {
    const sources = services.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    const missing = sources.filter((source) =>
      source.startsWith('./') ? !existsSync(join(ROOT, source)) : !(source in compose.volumes),
    );
    expect(missing).toEqual([]);
    const needed = services.flatMap(([, { depends_on = [] }]) =>
      Array.isArray(depends_on) ? (depends_on as string[]) : Object.keys(depends_on),
    );
    expect(needed.filter((name) => !(name in compose.services))).toEqual([]);
  });

  it('has each gateway at an address that no other container is given, as nginx asks for it but once', () => {
    const [range = { subnet: '', ip_range: '' }] = compose.networks.inside.ipam.config;
    const upstreams = [...read('deploy/nginx.conf').matchAll(/server ([\w-]+):3000/g)].map(
      ([, name]) => name,
    );
    expect(upstreams).toEqual(['gateway-1', 'gateway-2']);
    const addresses = upstreams.map((name = '') => {
      const networks = compose.services[name]?.networks;
      return (networks && 'inside' in networks ? networks['inside'].ipv4_address : undefined) ?? '';
    });
    expect(new Set(addresses).size).toBe(upstreams.length);
    for (const address of addresses) {
      expect(ipaddr.IPv4.parse(address).match(ipaddr.IPv4.parseCIDR(range.subnet))).toBe(true);
      expect(ipaddr.IPv4.parse(address).match(ipaddr.IPv4.parseCIDR(range.ip_range))).toBe(false);
    }
  });

  it('asks for every secret that it uses, and deploy/example.env names what it asks for', () => {
    const asked = [...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name);
    expect(new Set(asked)).toEqual(new Set(['POSTGRES_PASSWORD', 'SECRET_KEY', 'AUTH_SECRET', 'API_KEY']));
    const example = read('deploy/example.env');
    expect(asked.filter((name) => !example.includes(`\n${name ?? ''}=\n`))).toEqual([]);
  });

  it('starts programs that the build makes', () => {
    const commands = [
      ...programs.flatMap(([, { command = [] }]) => command),
      ...read('Dockerfile').split(/["\s]/),
    ];
    const files = commands.filter((word) => word.startsWith('dist/') && word.endsWith('.js'));
    expect(new Set(files)).toEqual(new Set(['dist/src/cli/main.js', 'dist/src/main.js']));
    const sources = files.map((file) => file.replace('dist/', '').replace(/\.js$/, '.ts'));
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
  });
});

describe('deploy/', () => {
  it.each(['nginx.conf', 'Caddyfile', 'prometheus.yml'])('%s names services that there are', (file) => {
    const named = [...read(`deploy/${file}`).matchAll(/\b((?:gateway|worker|bot)[\w-]*):(\d+)/g)];
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(([, name = '']) => !(name in compose.services))).toEqual([]);
    expect(new Set(named.map(([, , port]) => port))).toEqual(
      file === 'prometheus.yml' ? new Set(['9464']) : new Set(['3000', '3001']),
    );
  });

  it('alerts.yml watches metrics that there are', () => {
    const named = [...read('deploy/alerts.yml').matchAll(/\blicensing_\w+/g)].map(([name]) => name);
    expect(new Set(named).size).toBeGreaterThan(4);
    const source = ['metrics', 'jobs/queue-metrics']
      .map((file) => read(`src/platform/${file}.ts`))
      .join('\n');
    const missing = named.filter((name) => !source.includes(`'${name.replace(/_(bucket|count|sum)$/, '')}'`));
    expect(missing).toEqual([]);
  });

  it('pgbouncer.ini lends connections by the transaction, which DATABASE_DIRECT_URL is for', () => {
    expect(read('deploy/pgbouncer.ini')).toMatch(/^pool_mode = transaction$/m);
  });
});

describe('the image', () => {
  it('is made of what .dockerignore lets in', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(allowed.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(?!\. )(.+) \S+$/gm)];
    const files = copied.flatMap(([, names = '']) => names.split(' '));
    expect(files.filter((file) => !allowed.includes(file))).toEqual([]);
  });
});
