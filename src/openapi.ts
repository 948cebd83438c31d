import type { GraphQLSchema } from 'graphql';
import { botNotes } from './bot/openapi/bot.notes.js';
import { botRoutes } from './bot/routes.js';
import { licensingNotes } from './licensing/openapi/licensing.notes.js';
import { licensingRoutes } from './licensing/routes.js';
import { PRODUCT } from './platform/product.js';
import { openapiDocument } from './platform/rest/openapi/document.js';
import type { OpenapiDocument } from './platform/rest/openapi/document.js';

/**
 * The OpenAPI documents, by the name of the file in `schema/` that holds each: one for every port, since an API that
 * answers at one address is what tools and readers know how to take.
 */
export function openapiDocuments(schema: GraphQLSchema): Readonly<Record<string, OpenapiDocument>> {
  const { version } = PRODUCT;
  return {
    'openapi.json': openapiDocument({ schema, tables: licensingRoutes, notes: licensingNotes, version }),
    'openapi-bot.json': openapiDocument({ schema, tables: botRoutes, notes: botNotes, version }),
  };
}
