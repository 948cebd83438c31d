/** Copies what the documentation's pages consist of to dist/pages, so that they are served without the packages. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { PAGE_FILES } from '../dist/src/platform/pages/assets.js';

mkdirSync('dist/pages/licenses', { recursive: true });
for (const [name, from] of Object.entries(PAGE_FILES)) copyFileSync(from, `dist/pages/${name}`);

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
