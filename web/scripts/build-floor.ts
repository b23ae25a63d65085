import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/**
 * node web/scripts/build-floor.ts <folder>: React and react-dom, and nothing of ours: they render the markup that the page
 * brings along. `npm run lighthouse` compares the pages with it.
 */
const source = `
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
const __html = document.getElementById('markup').innerHTML;
createRoot(document.getElementById('root')).render(createElement('div', { dangerouslySetInnerHTML: { __html } }));
`;

await build({
  root: fileURLToPath(new URL('..', import.meta.url)),
  configFile: false,
  publicDir: false,
  logLevel: 'error',
  plugins: [
    {
      name: 'floor',
      resolveId: (id) => (id === 'floor' ? fileURLToPath(new URL('../floor.js', import.meta.url)) : null),
      load: (id) => (id.endsWith('/floor.js') ? source : null),
    },
  ],
  build: {
    outDir: process.argv[2] ?? '',
    emptyOutDir: true,
    modulePreload: false,
    rolldownOptions: { input: 'floor', output: { entryFileNames: 'floor.js' } },
  },
});
