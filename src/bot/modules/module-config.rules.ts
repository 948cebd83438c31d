import { pointer } from '../../platform/errors.js';
import type { FieldProblem } from '../../platform/errors.js';
import type { ConfigGroup } from './module-manifest.rules.js';
import { readSetting } from './setting.rules.js';
import type { Setting, SettingValue } from './setting.rules.js';

/** What a write sets: a value, or null for back to the default. By key. */
export type ConfigChange = ReadonlyMap<string, { readonly setting: Setting; readonly value: SettingValue }>;

/**
 * A write of some values of a group: what it sets, and everything that is wrong with it. Null goes back to the default;
 * a required setting without one must have a value.
 */
export function readConfigChange(
  group: ConfigGroup,
  values: Readonly<Record<string, unknown>>,
): { readonly change: ConfigChange; readonly problems: readonly FieldProblem[] } {
  const change = new Map<string, { setting: Setting; value: SettingValue }>();
  const problems: FieldProblem[] = [];
  for (const [key, raw] of Object.entries(values)) {
    const setting = group.settings.find((each) => each.key === key);
    if (!setting) {
      const allowed = group.settings.map((each) => each.key).join(', ');
      const detail = `values.${key} is not a setting of the group ${group.id}; allowed: ${allowed}`;
      problems.push({ pointer: pointer('values', key), code: 'UNKNOWN_FIELD', detail });
      continue;
    }
    if (raw === null && setting.required && setting.default === null) {
      problems.push(invalid(key, 'is required, and has no default'));
      continue;
    }
    const read = raw === null ? { value: null } : readSetting(setting, raw);
    if ('allowed' in read) problems.push(invalid(key, read.allowed));
    else change.set(key, { setting, value: read.value });
  }
  return { change, problems };
}

/** The first setting without which a module can't be enabled: `group.key`. */
export function missingSetting(
  groups: readonly ConfigGroup[],
  isSet: (group: string, key: string) => boolean,
): string | undefined {
  for (const { id, settings } of groups) {
    const missing = settings.find(
      ({ key, required, default: fallback }) => required && fallback === null && !isSet(id, key),
    );
    if (missing) return `${id}.${missing.key}`;
  }
  return undefined;
}

function invalid(key: string, allowed: string): FieldProblem {
  return {
    pointer: pointer('values', key),
    code: 'INVALID_FIELD',
    detail: `values.${key} ${allowed}`,
  };
}
