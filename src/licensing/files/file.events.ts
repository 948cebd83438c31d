export const fileEvents = ['file.created', 'file.updated', 'file.deleted'] as const;
