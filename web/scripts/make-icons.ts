/**
 * Renders the icons of the installed app from the logo. Run by hand when the logo changes (`node
 * web/scripts/make-icons.ts`, needs Debian's librsvg2-bin); the output is committed.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const out = fileURLToPath(new URL('../public/icons/', import.meta.url));
const pine = '#1c6660';
const paper = '#fbf7f2';

/** The logo of ui/logo.tsx, 64 units wide, scaled to `share` of the picture. */
function picture(ground: string, ink: string, share: number): string {
  const edge = (64 / share - 64) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-edge} ${-edge} ${64 / share} ${64 / share}">
    <rect x="${-edge}" y="${-edge}" width="100%" height="100%" fill="${ground}"/>
    <path fill="${ink}" d="M15 6h34a10 10 0 0 1 10 10v23a10 10 0 0 1-10 10H32.5L19 60.6a1.5 1.5 0 0 1-2.5-1.1V49H15A10 10 0 0 1 5 39V16A10 10 0 0 1 15 6Z"/>
    <path fill="none" stroke="${ground}" stroke-width="5" stroke-linecap="round" d="M17 28.5c3.7-4.6 7.3-4.6 10.5-1 3.2 3.7 6.6 3.7 9.8 0 3.2-3.6 6.7-3.6 9.7 0"/>
  </svg>`;
}

for (const [name, size, svg] of [
  ['icon-192', 192, picture(paper, pine, 0.7)],
  ['icon-512', 512, picture(paper, pine, 0.7)],
  // Phones may crop a maskable icon to a circle: the logo stays within 80 % of the width.
  ['maskable-512', 512, picture(pine, paper, 0.52)],
] as const) {
  execFileSync('rsvg-convert', ['-w', String(size), '-h', String(size), '-o', `${out}${name}.png`], {
    input: svg,
  });
}
