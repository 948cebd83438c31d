export const variableEvents = ['variable.created', 'variable.updated', 'variable.deleted'] as const;
