export const addonEvents = ['addon.created', 'addon.updated', 'addon.deleted'] as const;
