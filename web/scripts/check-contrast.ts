import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Computes the contrast of each colour pair in the app's and the console's tokens, in both schemes (WCAG 2.2: 1.4.3 and
 * 1.4.11).
 */
const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

type Scheme = Map<string, string>;

function readScheme(css: string, selector: string): Scheme {
  const start = css.indexOf(`${selector} {`);
  if (start < 0) throw new Error(`The tokens have no block ${selector}`);
  const block = css.slice(start, css.indexOf('}', start));
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/gu)].map(([, name = '', colour = '']) => [name, colour]),
  );
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const text = 4.5;
const shape = 3;
const emotions = ['happy', 'sad', 'angry', 'anxious', 'neutral', 'burnout'];

type Pairs = readonly (readonly [front: string, back: string, least: number])[];

const appPairs: Pairs = [
  ...['text', 'text-2', 'primary', 'secondary', 'error', 'success', 'warning', 'info'].flatMap((front) => [
    [front, 'bg', text] as const,
    [front, 'surface', text] as const,
  ]),
  // Pairs used for text in the app.
  ['text', 'sunken', text],
  ['text-2', 'sunken', text],
  ['primary', 'sunken', text],
  ['secondary', 'sunken', text],
  ['text-2', 'divider', text],
  ['on-primary', 'primary', text],
  ['on-primary', 'primary-hover', text],
  ['on-primary-container', 'primary-container', text],
  ['on-error', 'error', text],
  ['on-toast', 'toast', text],
  ['outline', 'bg', shape],
  ['outline', 'surface', shape],
  ['outline', 'sunken', shape],
  ...emotions.flatMap((emotion) => [
    [emotion, 'bg', text] as const,
    [emotion, 'surface', text] as const,
    [emotion, `${emotion}-container`, text] as const,
    [`${emotion}-accent`, 'surface', shape] as const,
  ]),
];

const consolePairs: Pairs = [
  ...['text', 'text-2', 'primary', 'error'].flatMap((front) => [
    [front, 'bg', text] as const,
    [front, 'surface', text] as const,
    [front, 'sunken', text] as const,
  ]),
  ['text-2', 'divider', text],
  ['on-primary', 'primary', text],
  ['on-primary', 'primary-hover', text],
  ['on-primary-container', 'primary-container', text],
  ['on-error', 'error', text],
  ['error', 'error-container', text],
  ['warning', 'warning-container', text],
  ['success', 'success-container', text],
  ['outline', 'bg', shape],
  ['outline', 'surface', shape],
  ['primary', 'primary-container', shape],
];

const tokens = [
  {
    name: 'app',
    css: read('../src/ui/tokens.css'),
    pairs: appPairs,
    schemes: { light: ':root', dark: ":root[data-scheme='dark']" },
  },
  {
    name: 'console',
    css: read('../mod/ui/tokens.css'),
    pairs: consolePairs,
    schemes: { light: ':root', dark: '@media (prefers-color-scheme: dark) {\n  :root' },
  },
];

let failures = 0;
for (const { name, css, pairs, schemes } of tokens) {
  for (const [schemeName, selector] of Object.entries(schemes)) {
    const scheme = readScheme(css, selector);
    const colour = (token: string): string => {
      const value = scheme.get(token);
      if (value === undefined)
        throw new Error(`--${token} is missing from the ${name}'s ${schemeName} scheme`);
      return value;
    };
    for (const [front, back, least] of pairs) {
      const ratio = contrast(colour(front), colour(back));
      const isEnough = ratio >= least;
      if (!isEnough) failures += 1;
      console.log(
        `${`${name} ${schemeName}`.padEnd(14)}${`${front} on ${back}`.padEnd(42)}${ratio.toFixed(2).padStart(6)}  ${isEnough ? 'ok' : `BELOW ${least}`}`,
      );
    }
  }
}
console.log(`${failures} below AA`);
process.exitCode = failures === 0 ? 0 : 1;
