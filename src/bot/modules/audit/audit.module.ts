import { defineModule } from '../define-module.js';
import type { ActivityEvent } from '../define-module.js';

/** What the activity log tells of, by the first word of its events. */
const FAMILIES: Readonly<Record<string, string>> = {
  license: 'Licenses',
  product: 'Products',
  customer: 'Customers',
  addon: 'Addons',
  whitelist: 'Whitelists',
  variable: 'Variables',
  rule: 'Rules',
  file: 'Files',
  download: 'Downloads',
  user: 'Users',
  identity: 'Identities',
  session: 'Sessions',
  purchase: 'Purchases',
  webhook: 'Webhooks',
  api_key: 'API keys',
  job: 'Jobs',
  bot: 'The bot',
};
const OTHER = 'other';
/** So often that a busy shop would fill a channel with them. */
const QUIET = new Set(['session', 'download']);
const CHANGES_MAX = 5;
const VALUE_LENGTH_MAX = 60;

/** Posts what happens on the server to its logging target: who changed what. */
export const audit = defineModule({
  id: 'audit',
  name: 'Audit',
  version: '1.0.0',
  author: 'Licensing Gateway',
  description:
    'Posts the activity log to channels: who changed what. Each kind of record can have its own channel.',
  config: [
    {
      id: 'posts',
      label: 'Posts',
      settings: [
        {
          key: 'changes',
          label: 'Show changes',
          type: 'boolean',
          default: true,
          description: 'Before and after.',
        },
        {
          key: 'ignore',
          label: 'Ignore',
          type: 'list',
          default: [],
          pattern: '^[a-z_]+(\\.[a-z_]+)*(\\.\\*)?$',
          description: 'Events that are not posted, such as session.opened or bot.*',
        },
      ],
    },
  ],
  events: [
    ...Object.entries(FAMILIES).map(([key, label]) => ({ key, label, default: !QUIET.has(key) })),
    { key: OTHER, label: 'Everything else' },
  ],
  setup(ctx) {
    ctx.onEvent('*', (entry) => {
      const ignored = ctx.setting('posts', 'ignore') as readonly string[];
      if (ignored.some((pattern) => isMeant(pattern, entry.event))) return;
      const [family = ''] = entry.event.split('.');
      const showChanges = ctx.setting('posts', 'changes') === true;
      ctx.tell(family in FAMILIES ? family : OTHER, textOf(entry, { showChanges }));
    });
  },
});

function textOf(
  { event, actor, resource, changes }: ActivityEvent,
  { showChanges }: { readonly showChanges: boolean },
): string {
  const head = `**${event}** ${code(resource.id)} by ${code(actor)}`;
  const fields = Object.entries(changes ?? {});
  if (!showChanges || fields.length === 0) return head;
  const shown = fields
    .slice(0, CHANGES_MAX)
    .map(([field, [before, after]]) => `${field} ${code(before)} → ${code(after)}`);
  const more = fields.length > CHANGES_MAX ? [`and ${fields.length - CHANGES_MAX} more`] : [];
  return `${head}: ${[...shown, ...more].join(', ')}`;
}

/** As inline code, which no mention and no markup gets out of. */
function code(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  const short = text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX - 1)}…` : text;
  return `\`${short.replaceAll('`', "'").replaceAll('\n', ' ') || ' '}\``;
}

function isMeant(pattern: string, event: string): boolean {
  return pattern.endsWith('.*') ? event.startsWith(pattern.slice(0, -1)) : event === pattern;
}
