export const productEvents = ['product.created', 'product.updated', 'product.deleted'] as const;
