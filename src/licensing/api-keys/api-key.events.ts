export const apiKeyEvents = ['api_key.created', 'api_key.rotated', 'api_key.revoked'] as const;
