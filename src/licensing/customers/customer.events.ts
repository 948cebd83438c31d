export const customerEvents = ['customer.created', 'customer.updated', 'customer.deleted'] as const;
