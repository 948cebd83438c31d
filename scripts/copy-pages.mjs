/** Copies what the documentation's pages consist of to dist/pages, so that they are served without the packages. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { copyPages } from '../dist/src/platform/pages/copy-pages.js';

mkdirSync('dist/pages/licenses', { recursive: true });
await copyPages({ from: '.', to: 'dist/pages' });

/** What their authors ask to go along with them. */
const TERMS = {
  graphiql: ['LICENSE'],
  'graphql-ws': ['LICENSE.md'],
  react: ['LICENSE'],
  'react-dom': ['LICENSE'],
  'swagger-ui-dist': ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'],
};
for (const [name, files] of Object.entries(TERMS))
  for (const file of files)
    copyFileSync(`node_modules/${name}/${file}`, `dist/pages/licenses/${name}-${file}`);
