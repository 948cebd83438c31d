export const TEMPLATE_DATABASE = 'template_licensing';

/** The URL of another database of the same server. */
export function databaseUrl(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
