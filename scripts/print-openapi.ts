/** Prints the OpenAPI documents to schema/. After graphql-codegen: it reads the documents that the routes run. */
import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { openapiDocuments } from '../src/openapi.js';
import { createSchema } from '../src/schema.js';

for (const [file, document] of Object.entries(openapiDocuments(createSchema())))
  writeFileSync(`schema/${file}`, `${JSON.stringify(document, null, 2)}\n`);
