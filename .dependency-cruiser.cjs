/** The layers of ARCHITECTURE.md, enforced by file name alone. */
const layer = (suffix) => `\\.${suffix}\\.ts$`;
const GRAPHQL = '^node_modules/(graphql|type-graphql|graphql-jit|@apollo|@as-integrations)/';
const EXPRESS = '^node_modules/(express|@types/express)/';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'rest-is-a-table',
      comment: 'A route row knows its generated document and the facade, nothing below GraphQL.',
      severity: 'error',
      from: { path: layer('rest') },
      to: { path: '^src/', pathNot: ['\\.generated\\.ts$', '^src/platform/rest/'] },
    },
    {
      name: 'resolvers-call-services',
      severity: 'error',
      from: { path: layer('resolver') },
      to: {
        path: [layer('entity'), '^node_modules/(kysely|pg|@mikro-orm)/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'domain-knows-no-transport',
      severity: 'error',
      from: { path: '\\.(service|repository|rules|states|entity|events|loaders)\\.ts$' },
      to: { path: [GRAPHQL, EXPRESS] },
    },
    {
      name: 'rules-are-pure',
      severity: 'error',
      from: { path: '\\.(rules|states)\\.ts$' },
      to: { path: '^node_modules/(kysely|pg|@mikro-orm|graphile-worker|undici)/' },
    },
    {
      name: 'entities-know-entities',
      severity: 'error',
      from: { path: layer('entity') },
      to: { path: '^src/', pathNot: [layer('entity'), '^src/platform/db/'] },
    },
    {
      name: 'platform-knows-no-domain',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/(licensing|bot|cli)/' },
    },
    {
      name: 'licensing-and-bot-are-apart',
      severity: 'error',
      from: { path: '^src/licensing/' },
      to: { path: '^src/bot/' },
    },
    {
      name: 'bot-and-licensing-are-apart',
      severity: 'error',
      from: { path: '^src/bot/' },
      to: { path: '^src/licensing/' },
    },
    {
      name: 'jobs-call-services',
      severity: 'error',
      from: { path: '^jobs/tasks/' },
      to: { path: '^src/', pathNot: ['\\.service\\.ts$', '^src/platform/'] },
    },
    {
      name: 'src-knows-no-jobs',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/main\\.ts$' },
      to: { path: '^jobs/' },
    },
    {
      name: 'cli-is-a-client',
      comment:
        'What works without a server has a file of its own: one opens the database, one writes releases.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/(with-local-database|files-publish)\\.ts$' },
      to: { path: '^(src|jobs|migrations)/', pathNot: '^src/(cli/|platform/|config)' },
    },
    {
      name: 'migrations-stand-alone',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { path: '^(src|jobs)/' },
    },
    {
      name: 'declared-dependencies-only',
      severity: 'error',
      from: { path: '^(src|jobs|migrations)/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'undetermined'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'tracing-is-loaded-late',
      comment: 'A process that does not trace shall not pay for it.',
      severity: 'error',
      from: { path: '^(src|jobs)/', pathNot: '^src/platform/tracing/otel-tracer\\.ts$' },
      to: {
        path: '^(node_modules/@opentelemetry/|src/platform/tracing/otel-tracer\\.ts$)',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'resolvable',
      comment: 'The typed document package holds types only, no module.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^@graphql-typed-document-node/core$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
    moduleSystems: ['es6', 'cjs'],
  },
};
