import type { CodegenConfig } from '@graphql-codegen/cli';

/** Typed documents beside each `.graphql` file, from the schema that `npm run codegen` has just printed. */
const config: CodegenConfig = {
  schema: 'schema/schema.graphql',
  documents: 'src/**/*.graphql',
  generates: {
    'src/': {
      preset: 'near-operation-file',
      presetConfig: { extension: '.generated.ts' },
      plugins: ['typescript-operations', 'typed-document-node'],
      config: {
        useTypeImports: true,
        emitLegacyCommonJSImports: false,
        scalars: {
          DateTime: 'string',
          JSON: 'unknown',
          JSONObject: 'Record<string, unknown>',
          LicenseKey: 'string',
          Name: 'string',
          Nonce: 'string',
          Presented: 'string',
          SafeInt: 'number',
          Text: 'string',
          VariableKey: 'string',
        },
      },
    },
  },
};

export default config;
