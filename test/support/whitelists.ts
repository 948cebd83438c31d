import type { TestApp } from './app.js';
import type { RestResponse } from './rest.js';

/** What tests of whitelists say: makes lists, and puts values on those of licenses. */
export function whitelistKit(app: () => TestApp) {
  let count = 0;

  /** Makes a list that reads the header X-HWID, unless told otherwise; its name. */
  const list = async (fields: Record<string, unknown> = {}): Promise<string> => {
    count += 1;
    const body = { name: `list ${count}`, type: 'header', header: 'X-HWID', ...fields };
    const response = await app().rest('POST', '/whitelists', body);
    if (response.status !== 201)
      throw new Error(`Making a list answered ${response.status}: ${response.text}`);
    return body.name;
  };

  return {
    list,
    ipList: (fields: Record<string, unknown> = {}) => list({ type: 'ip', header: null, ...fields }),
    entriesOf: async (license: string) =>
      (await app().rest('GET', `/licenses/whitelists?license=${license}`)).body as {
        name: string;
        values: string[];
      }[],
    add: (license: string, whitelist: string, value: unknown) =>
      app().rest('POST', '/licenses/whitelists', { license, whitelist, value }),
    limit: (license: string, whitelist: string, value?: unknown) =>
      app().rest('PATCH', '/licenses/whitelists', { license, whitelist, limit: value }),
    clear: (license: string, whitelist: string, value?: unknown) =>
      app().rest('DELETE', '/licenses/whitelists', { license, whitelist, value }),
    lastLicense: async () =>
      ((await app().rest('GET', '/licenses')).body as Record<string, unknown>[]).at(-1),
  };
}

/** The values in an entry that was answered. */
export function valuesIn(response: RestResponse): string[] {
  return (response.body as { values: string[] }).values;
}

/** A license key as the activity log shows it. */
export function masked(key: string): string {
  return `…${key.slice(-6)}`;
}
