export const customFieldEvents = [
  'custom_field.created',
  'custom_field.updated',
  'custom_field.deleted',
] as const;
