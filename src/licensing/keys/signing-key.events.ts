export const signingKeyEvents = ['signing_key.created', 'signing_key.retired'] as const;
