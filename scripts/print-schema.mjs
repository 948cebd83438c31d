/** Prints the SDL to schema/schema.graphql. Codegen reads it from there, and clients may rely on it. */
import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { createSchema } from '../dist/src/schema.js';

writeFileSync('schema/schema.graphql', `${printSchema(lexicographicSortSchema(createSchema()))}\n`);
