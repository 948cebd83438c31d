export const identityEvents = ['identity.linked', 'identity.unlinked'] as const;
