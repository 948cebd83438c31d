import type { JsonSchema } from '../../platform/rest/openapi/notes.js';

/** What some members hold that GraphQL only knows as JSON. */
export const IDENTITY: JsonSchema = {
  description: 'Free JSON up to 16 KiB; by custom `username`, `display_name`, `avatar_url`.',
};

export const JSON_VALUE: JsonSchema = {
  description: 'Any JSON value of up to 16 KiB and 8 levels; `null` is one.',
};

export const RULE_CONFIG: JsonSchema = {
  description: [
    'As the type of the rule asks for:',
    '',
    '- `version`: `{"range": ">=1.2.0 <3", "on_missing": "deny"}`',
    '- `ip`: `{"cidrs": ["192.0.2.0/24"]}`',
    '- `country`: `{"countries": ["AT"], "header": "cf-ipcountry"}`',
    '- `header`: `{"name": "X-Edition", "equals": "pro"}`, or `in`, or `pattern`',
    '- `agent`: `{"pattern": "PlotGuard/"}`',
    '- `time`: `{"from": "2026-01-01T00:00:00Z", "until": "2027-01-01T00:00:00Z"}`',
  ].join('\n'),
};

export const LICENSE_WHITELISTS: JsonSchema = {
  additionalProperties: {
    type: 'object',
    properties: {
      values: { type: 'array', items: { type: 'string', maxLength: 255 } },
      limit: { type: ['integer', 'null'] },
    },
  },
};
