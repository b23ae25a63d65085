/** An SVG bar chart in the style of docs/architecture.svg. It has its own background, so that it works in dark mode. */
export interface BarChart {
  readonly title: string;
  readonly about: string;
  readonly bars: readonly { readonly name: string; readonly share: number; readonly isOurs: boolean }[];
  readonly foot: string;
}

const width = 640;
const labelWidth = 150;
const barHeight = 30;
const step = 46;
const firstAt = 92;

export function renderBarChart({ title, about, bars, foot }: BarChart): string {
  const most = Math.max(...bars.map(({ share }) => share));
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const height = firstAt + bars.length * step + 44;
  const rows = bars.map(({ name, share, isOurs }, n) => {
    const y = firstAt + n * step;
    const length = Math.round(((width - labelWidth - 120) * share) / most);
    return `  <text class="t" x="24" y="${y + 20}">${name}</text>
  <rect class="${isOurs ? 'ours' : 'other'}" x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" rx="6"/>
  <text class="${isOurs ? 'h' : 't'}" x="${labelWidth + length + 12}" y="${y + 20}">${percent(share)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif" font-size="14">
  <title id="t">${title}</title>
  <desc id="d">${about} ${bars.map(({ name, share }) => `${name} ${percent(share)}`).join(', ')}. ${foot}</desc>
  <style>
    .ours{fill:#1C6660}
    .other{fill:#D5ECE8;stroke:#1C6660;stroke-width:1.5}
    .h{font-weight:700;fill:#2A2521;font-size:15px}
    .t{fill:#2A2521}
    .s{fill:#5E554E;font-size:13px}
  </style>
  <rect width="${width}" height="${height}" rx="14" fill="#FBF7F2"/>
  <text class="h" x="24" y="40">${title}</text>
  <text class="s" x="24" y="62">${about}</text>
${rows.join('\n')}
  <text class="s" x="24" y="${height - 22}">${foot}</text>
</svg>
`;
}
